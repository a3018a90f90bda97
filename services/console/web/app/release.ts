import { note } from './state.ts';

/** The page reloads once for each release that it finds missing. */
const RELOADED_FOR = 'reloaded';

const typedIn = new Set<WeakRef<EventTarget>>();

/**
 * Loads the page again when a file of it is missing, because a release replaced the files. Input that nothing has
 * saved stays: then the frame offers to reload.
 */
export function reloadAfterRelease(): void {
  addEventListener('input', ({ target }) => {
    if (target !== null) typedIn.add(new WeakRef(target));
  });
  addEventListener('vite:preloadError', () => {
    const release = import.meta.url;
    if (sessionStorage.getItem(RELOADED_FOR) === release || hasInput()) return note({ isOld: true });
    sessionStorage.setItem(RELOADED_FOR, release);
    location.reload();
  });
}

/** Whether a form on the page holds something that was typed. Filters are not in forms: the address has them. */
function hasInput(): boolean {
  return [...typedIn].some((reference) => {
    const field = reference.deref();
    return field instanceof HTMLElement && field.isConnected && field.closest('form, dialog') !== null;
  });
}
