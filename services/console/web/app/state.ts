import { useSyncExternalStore } from 'react';

/** The state of the whole page, which the frame shows. */
interface Whole {
  isOnline: boolean;
  isSignedOut: boolean;
  /** Whether a release replaced the files of the page since it was loaded. */
  isOld: boolean;
  /** The reason why the API refused the last change. */
  refusal: string | undefined;
}

let whole: Whole = { isOnline: navigator.onLine, isSignedOut: false, isOld: false, refusal: undefined };
const listeners = new Set<() => void>();

/** Notes what happened to the page. */
export function note(change: Partial<Whole>): void {
  whole = { ...whole, ...change };
  for (const listener of listeners) listener();
}

addEventListener('online', () => note({ isOnline: true }));
addEventListener('offline', () => note({ isOnline: false }));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the state of the whole page. */
export const useWhole = (): Whole => useSyncExternalStore(subscribe, () => whole);
