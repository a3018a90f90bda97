import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const SORTS = ['last_seen', 'members'] as const;

/** Parses the filters and the open group, of which `type` is the type. */
export const search = (raw: RawSearch) => ({
  type: text(raw['type']),
  search: text(raw['search']),
  sort: oneOf(SORTS, raw['sort']),
  open: text(raw['open']),
  openType: text(raw['openType']),
});
