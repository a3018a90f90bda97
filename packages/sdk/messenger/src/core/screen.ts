import { isObject, textOf } from './values.ts';

export type Route = { name: 'home' } | { name: 'thread'; key: string } | { name: 'message'; id: string };

/** The state of the panel, stored for the next page of the tab together with the visitor's drafts. */
export interface Screen {
  readonly isOpen: boolean;
  readonly route: Route;
  set(next: { isOpen?: boolean; route?: Route }): void;
  draft(thread: string): string;
  write(thread: string, text: string): void;
  /** Sets the text of the field programmatically. */
  fillIn(thread: string, text: string): void;
  /** The number of `fillIn` calls. An open field is rendered again after each. */
  readonly fills: number;
  persist(isKept: boolean): void;
  subscribe(listener: () => void): () => void;
}

const HOME: Route = { name: 'home' };
/** On a narrow screen the panel covers the page, so it does not open automatically. */
const WIDE = '(min-width: 720px)';

export function createScreen(name: string, isKept: boolean): Screen {
  const listeners = new Set<() => void>();
  let isOpen = false;
  let route = HOME;
  let fills = 0;
  let draft = { thread: '', text: '' };

  function keep(): void {
    if (!isKept) return;
    try {
      sessionStorage.setItem(name, JSON.stringify({ isOpen, route, draft }));
    } catch {
      // Storage is full or blocked, so the next page starts without this state.
    }
  }

  try {
    const value: unknown = isKept ? JSON.parse(sessionStorage.getItem(name) ?? 'null') : null;
    if (isObject(value)) {
      isOpen = value['isOpen'] === true && matchMedia(WIDE).matches;
      const kept = isObject(value['route']) ? value['route'] : {};
      if (kept['name'] === 'thread') route = { name: 'thread', key: textOf(kept['key']) };
      const written = isObject(value['draft']) ? value['draft'] : {};
      draft = { thread: textOf(written['thread']), text: textOf(written['text']) };
    }
  } catch {
    // Storage is blocked, or the data has another format.
  }

  return {
    get isOpen() {
      return isOpen;
    },
    get route() {
      return route;
    },
    set(next) {
      isOpen = next.isOpen ?? isOpen;
      route = next.route ?? route;
      keep();
      for (const listener of [...listeners]) listener();
    },
    draft: (thread) => (draft.thread === thread ? draft.text : ''),
    write(thread, text) {
      draft = { thread, text };
      keep();
    },
    fillIn(thread, text) {
      fills += 1;
      draft = { thread, text };
      keep();
    },
    get fills() {
      return fills;
    },
    persist(next) {
      if (isKept && !next) {
        try {
          sessionStorage.removeItem(name);
        } catch {
          // Storage is blocked, so it is empty.
        }
      }
      isKept = next;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
