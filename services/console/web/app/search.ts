import { useNavigate, useSearch } from '@tanstack/react-router';
import type { RawSearch } from './page.ts';

/**
 * Returns the query of the address as a page's `search.ts` parses it, and a function that changes some of its values. A
 * change replaces the entry in the history, unless `push` is set.
 */
export function usePageSearch<S>(
  parse: (raw: RawSearch) => S,
): [S, (change: Partial<S>, options?: { push?: boolean }) => void] {
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (values: Partial<S>, { push = false } = {}) =>
    void navigate({ to: '.', search: (old: object) => ({ ...old, ...values }), replace: !push });
  return [parse(raw), change];
}
