import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const ROLES = ['viewer', 'support', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Parses the filters, the open entry and whether a person is being invited. */
export const search = (raw: RawSearch) => ({
  find: text(raw['find']),
  role: oneOf(ROLES, raw['role']),
  open: text(raw['open']),
  invite: raw['invite'] === true || raw['invite'] === 'true' ? true : undefined,
});

/** Returns the roles that the person may give. */
export const givenRoles = (may: (permission: string) => boolean): readonly Role[] =>
  may('admins.write') ? ROLES : ROLES.filter((role) => role !== 'admin' && role !== 'owner');
