import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const OUTCOMES = ['allowed', 'refused'] as const;

/** Parses the filters and the open entry. */
export const search = (raw: RawSearch) => ({
  actor: text(raw['actor']),
  action: text(raw['action']),
  outcome: oneOf(OUTCOMES, raw['outcome']),
  open: text(raw['open']),
});
