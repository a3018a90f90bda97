import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const STATES = ['running', 'done'] as const;

/** Parses the filters, the open entry and whether a person is being erased. */
export const search = (raw: RawSearch) => ({
  state: oneOf(STATES, raw['state']),
  project: text(raw['project']),
  open: text(raw['open']),
  erase: raw['erase'] === true || raw['erase'] === 'true' ? true : undefined,
});
