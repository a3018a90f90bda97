import { type RawSearch, text } from '../../app/page.ts';

/** Parses the filter, the open company, and whether one is being created. */
export const search = (raw: RawSearch) => ({
  find: text(raw['find']),
  open: text(raw['open']),
  create: raw['create'] === true ? true : undefined,
});
