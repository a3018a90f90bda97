import type { Properties } from '../types.ts';

/**
 * Tracks clicks on links and buttons. What describes a click is loaded now, so that other pages do not load it, and
 * clicks until then wait for it.
 */
export function watchClicks(track: (name: string, properties: Properties) => void): () => void {
  let clickOf: ((path: readonly EventTarget[]) => Properties | undefined) | undefined;
  const loading = import('./clicks.ts').then((loaded) => {
    clickOf = loaded.clickOf;
  });
  const onClick = (event: MouseEvent) => {
    const path = event.composedPath();
    const report = () => {
      const click = clickOf?.(path);
      if (click !== undefined) track('element clicked', click);
    };
    if (clickOf === undefined) loading.then(report, () => undefined);
    else report();
  };
  document.addEventListener('click', onClick, { capture: true, passive: true });
  return () => document.removeEventListener('click', onClick, { capture: true });
}
