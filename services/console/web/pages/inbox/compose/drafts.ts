import { useCallback, useSyncExternalStore } from 'react';

/** The kind of a text: a reply to the visitor, or a private note. */
export type Kind = 'reply' | 'note';

export interface Upload {
  id: string;
  name: string;
}

/** A text that is not stored by the API yet. */
export interface Pending {
  key: string;
  kind: Kind;
  body: string;
  mentions: string[];
  uploads: Upload[];
  at: string;
  /** The reason why sending failed. */
  error: string | undefined;
}

interface Draft {
  kind: Kind;
  /** The texts are kept apart, so that a note never becomes a reply. */
  reply: string;
  note: string;
  uploads: Upload[];
}

interface Kept {
  draft: Draft;
  pending: Pending[];
}

const EMPTY: Kept = { draft: { kind: 'reply', reply: '', note: '', uploads: [] }, pending: [] };

const kept = new Map<string, Kept>();
const listeners = new Set<() => void>();
const nameOf = (key: string) => `inbox:${key}`;

function read(key: string): Kept {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const stored = sessionStorage.getItem(nameOf(key));
  const found: Kept = stored === null ? EMPTY : JSON.parse(stored);
  kept.set(key, found);
  return found;
}

/** Changes the draft and the unsent texts of a conversation. They survive reloads of the tab. */
export function changeKept(key: string, change: (before: Kept) => Kept): void {
  const next = change(read(key));
  kept.set(key, next);
  sessionStorage.setItem(nameOf(key), JSON.stringify(next));
  for (const listener of listeners) listener();
}

/** Returns the draft and the unsent texts of a conversation, and a function that changes the draft. */
export function useKept(key: string) {
  const found = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => read(key),
  );
  const setDraft = useCallback(
    (values: Partial<Draft>) =>
      changeKept(key, (before) => ({ ...before, draft: { ...before.draft, ...values } })),
    [key],
  );
  return { ...found, setDraft };
}
