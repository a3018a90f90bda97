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
    // Several components may have the same keys.
    const own = [...keys];
    change([...active, own]);
    // Bound one by one: after `g m`, tinykeys would still wait for the second key of the others that begin with g.
    const unbinds = keys.flatMap(({ keys: pressed, run }) => {
      if (run === undefined) return [];
      const onPress = (event: KeyboardEvent) => {
        if (isBusy(event, pressed)) return;
        event.preventDefault();
        run();
      };
      return [tinykeys(window, { [pressed]: onPress })];
    });
    return () => {
      for (const unbind of unbinds) unbind();
      change(active.filter((one) => one !== own));
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
window.addEventListener('keydown', (event) => {
  // Shift is pressed before the letter of `g Shift+F`.
  if (event.key === 'Shift') return;
  isGoing = isNext;
  isNext = event.key === 'g' && !isEdited(event.target);
  if (!event.defaultPrevented && !event.repeat) pressAction(event);
});

/** Returns the buttons and links of the page with a key, which is their `aria-keyshortcuts`. */
export const shownActions = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>('main [aria-keyshortcuts]')].filter(
    (one) => one.checkVisibility() && !one.matches(':disabled, [aria-disabled=true]'),
  );

/** Whether a key does something now, which is done before the action of a button with the same key. */
export const isRun = ({ title, run }: Key): boolean => title !== '' && run !== undefined;

/** Clicks the action with the pressed key. The first one, if an empty list repeats the action of the page. */
function pressAction(event: KeyboardEvent): void {
  const { key, shiftKey } = event;
  const pressed = shiftKey && /^[A-Z]$/.test(key) ? `Shift+${key}` : key;
  if (event.ctrlKey || event.altKey || event.metaKey || isBusy(event, pressed)) return;
  if (active.flat().some((one) => one.keys === pressed && isRun(one))) return;
  const action = shownActions().find((one) => one.getAttribute('aria-keyshortcuts') === pressed);
  if (action === undefined) return;
  event.preventDefault();
  action.click();
}

const isEdited = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('input:not([type=checkbox]), textarea, select, [role=menu], [role=menu] *'));

function isBusy({ target }: KeyboardEvent, pressed: string): boolean {
  if (document.querySelector('dialog:modal') !== null) return true;
  if (pressed.startsWith('$mod')) return false;
  // Space also works the focused control.
  if (pressed === 'Space' && target instanceof HTMLElement && target.matches('button, a, summary, input'))
    return true;
  return isGoing !== pressed.includes(' ') || isEdited(target);
}
