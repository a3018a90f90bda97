import { oneOf, type RawSearch, text } from '../../app/page.ts';

/** Without a state, the list shows the waiting requests. */
export const STATES = ['closed'] as const;

/** Parses the filter and the open request. */
export const search = (raw: RawSearch) => ({
  state: oneOf(STATES, raw['state']),
  open: text(raw['open']),
});
