import { useEffect, useSyncExternalStore } from 'react';
import { tinykeys } from 'tinykeys';

export interface Key {
  /** In the syntax of tinykeys, such as `g f` or `$mod+k`. */
  keys: string;
  title: string;
  /** Undefined for keys of a control with the focus, which are listed alone. */
  run?: () => void;
}

export const isMac = (): boolean => navigator.userAgent.includes('Mac');

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
      keys.flatMap(({ keys: pressed, run }) => {
        if (run === undefined) return [];
        const onPress = (event: KeyboardEvent) => {
          if (isBusy(event, pressed)) return;
          event.preventDefault();
          run();
        };
        return [[pressed, onPress]];
      }),
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
  // After `g m`, tinykeys takes `k` for the end of `g k` as well.
  return isGoing !== pressed.includes(' ') || isEdited(target);
}
