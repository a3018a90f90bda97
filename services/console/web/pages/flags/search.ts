import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const STATES = ['on', 'off'] as const;

/** Parses the filters, the open flag and the person to check it for. */
export const search = (raw: RawSearch) => ({
  find: text(raw['find']),
  state: oneOf(STATES, raw['state']),
  open: text(raw['open']),
  person: text(raw['person']),
});
