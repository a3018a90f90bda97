import { useSyncExternalStore } from 'react';

/** A message about a change, with what takes the change back exactly. */
export interface Toast {
  text: string;
  undo?: () => void;
}

interface ShownToast extends Toast {
  id: number;
}

const MAX_TOASTS = 3;

let shown: readonly ShownToast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: typeof shown): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Shows a message for some seconds. Only for changes that can be undone, because others are visible by themselves. */
export function showToast(toast: Toast): void {
  lastId += 1;
  change([...shown, { ...toast, id: lastId }].slice(-MAX_TOASTS));
}

export const closeToast = (id: number): void => change(shown.filter((one) => one.id !== id));

export const useToasts = (): readonly ShownToast[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
