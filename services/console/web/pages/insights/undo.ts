import { useMemo, useRef, useState } from 'react';
import { t } from '../../app/i18n.ts';
import { useKeys } from '../../app/keys.ts';

/** Changes of one field within this time, such as letters of a word, are undone together. */
const TOGETHER_MS = 700;
const MAX_STEPS = 100;

/** Returns the path of the one text or number that differs. Undefined if more differs, such as after adding a filter. */
function changedField(before: unknown, after: unknown, path = ''): string | undefined {
  if (!isObject(before) || !isObject(after)) return path;
  const names = Object.keys(after);
  if (names.length !== Object.keys(before).length) return undefined;
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const [name] = changed;
  return name === undefined || changed.length > 1
    ? undefined
    : changedField(before[name], after[name], `${path}.${name}`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Keeps the values before changes. Ctrl+Z goes back, Ctrl+Shift+Z forward. */
export function useUndo<T>(value: T, apply: (value: T) => void) {
  const past = useRef<T[]>([]);
  const future = useRef<T[]>([]);
  const last = useRef<{ field: string | undefined; at: number }>(undefined);
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
      last.current = undefined;
      current.current.apply(next);
      show();
    };
    return {
      change(next: T) {
        const [at, before] = [performance.now(), current.current.value];
        const field = changedField(before, next);
        const { current: previous } = last;
        const isSame = field !== undefined && field === previous?.field && at - previous.at < TOGETHER_MS;
        if (!isSame) past.current.push(before);
        if (past.current.length > MAX_STEPS) past.current.shift();
        last.current = { field, at };
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
        { keys: '$mod+z', title: t('Undo the last change'), run: stacks.undo },
        { keys: '$mod+Shift+z', title: t('Redo the change'), run: stacks.redo },
      ],
      [stacks],
    ),
  );
  return { ...stacks, canUndo: counts.past > 0, canRedo: counts.future > 0 };
}
