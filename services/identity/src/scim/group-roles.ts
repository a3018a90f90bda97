import { isLesserRole, ROLES, type Role } from '@switchboard/contracts';
import type { ScimStore } from './store.ts';

export interface GroupRole {
  /** The name of a provider's group. Case is ignored. */
  group: string;
  role: Role;
}

/** The roles that members of a provider's groups get in a company. */
export interface GroupRoles {
  list(companyId: string): Promise<GroupRole[]>;
  replace(companyId: string, roles: readonly GroupRole[]): Promise<void>;
}

export function createGroupRoles(store: Pick<ScimStore, 'rolesOfGroups' | 'setRolesOfGroups'>): GroupRoles {
  return {
    async list(companyId) {
      const rows = await store.rolesOfGroups(companyId);
      return rows.flatMap(({ groupName, role }) => {
        const known = ROLES.find((one) => one === role);
        return known === undefined ? [] : [{ group: groupName, role: known }];
      });
    },

    replace(companyId, roles) {
      const byName = new Map(roles.map(({ group, role }) => [group.toLowerCase(), role]));
      return store.setRolesOfGroups(
        companyId,
        [...byName].map(([groupName, role]) => ({ groupName, role })),
      );
    },
  };
}

/** Returns the greatest role of these groups; undefined if none has a role. */
export function greatestRole(all: readonly GroupRole[], groups: readonly string[]): Role | undefined {
  const names = new Set(groups.map((group) => group.toLowerCase()));
  const roles = all.flatMap(({ group, role }) => (names.has(group) ? [role] : []));
  return roles.sort((one, other) => (isLesserRole(one, other) ? 1 : -1))[0];
}
