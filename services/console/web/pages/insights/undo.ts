import { useMemo, useRef, useState } from 'react';
import { t } from '../../app/i18n.ts';
import { useKeys } from '../../app/keys.ts';

/** Changes within this time, such as letters of a word, are undone together. */
const TOGETHER_MS = 700;
const MAX_STEPS = 100;

/** Keeps the values before changes. Ctrl+Z goes back, Ctrl+Shift+Z forward. */
export function useUndo<T>(value: T, apply: (value: T) => void) {
  const past = useRef<T[]>([]);
  const future = useRef<T[]>([]);
  const changedAt = useRef(0);
  // The stacks are not rendered, only whether they have entries.
  const [counts, setCounts] = useState({ past: 0, future: 0 });
  const current = useRef({ value, apply });
  current.current = { value, apply };
  const stacks = useMemo(() => {
    const show = () => setCounts({ past: past.current.length, future: future.current.length });
    const move = (from: typeof past, to: typeof past) => {
      const next = from.current.pop();
      if (next === undefined) return;
      to.current.push(current.current.value);
      changedAt.current = 0;
      current.current.apply(next);
      show();
    };
    return {
      change(next: T) {
        const now = performance.now();
        if (now - changedAt.current > TOGETHER_MS) past.current.push(current.current.value);
        if (past.current.length > MAX_STEPS) past.current.shift();
        changedAt.current = now;
        future.current = [];
        current.current.apply(next);
        show();
      },
      undo: () => move(past, future),
      redo: () => move(future, past),
    };
  }, []);
  useKeys(
    useMemo(
      () => [
        { keys: '$mod+z', title: t('Undo the last change of the query'), run: stacks.undo },
        { keys: '$mod+Shift+z', title: t('Redo the change of the query'), run: stacks.redo },
      ],
      [stacks],
    ),
  );
  return { ...stacks, canUndo: counts.past > 0, canRedo: counts.future > 0 };
}
