import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const STATES = ['waiting', 'closed'] as const;

/** Parses the filter and the open request. */
export const search = (raw: RawSearch) => ({
  state: oneOf(STATES, raw['state']),
  open: text(raw['open']),
});
