import { type ComponentType, lazy, Suspense } from 'react';
import { Loading } from '../components/state.tsx';

/** Returns a component with code that is loaded when it is first shown. */
export function onUse<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const Loaded = lazy(async () => ({ default: await load() }));
  return (props: P) => (
    <Suspense fallback={<Loading rows={2} />}>
      <Loaded {...props} />
    </Suspense>
  );
}
