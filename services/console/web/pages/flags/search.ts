import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const STATES = ['on', 'off'] as const;

/** Parses the filters and the open flag. */
export const search = (raw: RawSearch) => ({
  find: text(raw['find']),
  state: oneOf(STATES, raw['state']),
  open: text(raw['open']),
});
