import { useEffect, useSyncExternalStore } from 'react';
import { tinykeys } from 'tinykeys';

export interface Key {
  /** In the syntax of tinykeys, such as `g f` or `$mod+k`. */
  keys: string;
  title: string;
  run(): void;
}

let active: readonly (readonly Key[])[] = [];
const listeners = new Set<() => void>();
const change = (next: typeof active) => {
  active = next;
  for (const listener of listeners) listener();
};

/** Adds keys while the component is mounted. They rest while a text is edited or a dialog is open. */
export function useKeys(keys: readonly Key[]): void {
  useEffect(() => {
    change([...active, keys]);
    const bound = Object.fromEntries(
      keys.map(({ keys: pressed, run }) => [
        pressed,
        (event: KeyboardEvent) => {
          if (isBusy(event, pressed)) return;
          event.preventDefault();
          run();
        },
      ]),
    );
    const unbind = tinykeys(window, bound);
    return () => {
      unbind();
      change(active.filter((one) => one !== keys));
    };
  }, [keys]);
}

/** Returns the keys of everything that is mounted, for the list of keys. */
export function useActiveKeys(): readonly Key[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => active,
  ).flat();
}

/** The key before the current one begins `g f` and the like, so the current one is not a key of the open page. */
let isGoing = false;
let isNext = false;
window.addEventListener('keydown', ({ key, target }) => {
  isGoing = isNext;
  isNext = key === 'g' && !isEdited(target);
});

const isEdited = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select, [role=menu] *'));

function isBusy({ target }: KeyboardEvent, pressed: string): boolean {
  if (document.querySelector('dialog:modal') !== null) return true;
  if (pressed.startsWith('$mod')) return false;
  // Space also works the focused control.
  if (pressed === 'Space' && target instanceof HTMLElement && target.matches('button, a, summary, input'))
    return true;
  return (isGoing && !pressed.includes(' ')) || isEdited(target);
}
