import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const KINDS = ['personal', 'service'] as const;

/** Parses the filters, the open entry and whether a token is being created. */
export const search = (raw: RawSearch) => ({
  find: text(raw['find']),
  kind: oneOf(KINDS, raw['kind']),
  open: text(raw['open']),
  create: raw['create'] === true || raw['create'] === 'true' ? true : undefined,
});
