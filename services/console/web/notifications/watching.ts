import { useEffect } from 'react';

const nameOf = (projectId: string) => `inbox:${projectId}`;

/** Holds a lock while the person looks at the inbox in this tab. The tabs of the browser share it. */
export function useWatching(projectId: string): void {
  useEffect(() => {
    let release: (() => void) | undefined;
    const end = () => {
      release?.();
      release = undefined;
    };
    const update = () => {
      if (!document.hasFocus()) return end();
      if (release !== undefined) return;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      void navigator.locks.request(nameOf(projectId), { mode: 'shared' }, () => held);
    };
    update();
    addEventListener('focus', update);
    addEventListener('blur', update);
    return () => {
      removeEventListener('focus', update);
      removeEventListener('blur', update);
      end();
    };
  }, [projectId]);
}

/** Whether the person looks at the inbox in any tab of the browser. */
export async function isWatched(projectId: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === nameOf(projectId));
}
