import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const ROLES = ['viewer', 'support', 'editor', 'admin', 'owner'] as const;

/** Parses the filters and the open entry. */
export const search = (raw: RawSearch) => ({
  find: text(raw['find']),
  role: oneOf(ROLES, raw['role']),
  open: text(raw['open']),
});
