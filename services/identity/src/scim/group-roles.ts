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
  /** Returns the greatest role of these groups; undefined if none has a role. */
  greatest(companyId: string, groups: readonly string[]): Promise<Role | undefined>;
}

export function createGroupRoles(store: Pick<ScimStore, 'rolesOfGroups' | 'setRolesOfGroups'>): GroupRoles {
  async function list(companyId: string): Promise<GroupRole[]> {
    const rows = await store.rolesOfGroups(companyId);
    return rows.flatMap(({ groupName, role }) => {
      const known = ROLES.find((one) => one === role);
      return known === undefined ? [] : [{ group: groupName, role: known }];
    });
  }

  return {
    list,

    replace(companyId, roles) {
      const byName = new Map(roles.map(({ group, role }) => [group.toLowerCase(), role]));
      return store.setRolesOfGroups(
        companyId,
        [...byName].map(([groupName, role]) => ({ groupName, role })),
      );
    },

    async greatest(companyId, groups) {
      const names = new Set(groups.map((group) => group.toLowerCase()));
      const roles = (await list(companyId)).flatMap(({ group, role }) => (names.has(group) ? [role] : []));
      return roles.sort((one, other) => (isLesserRole(one, other) ? 1 : -1))[0];
    },
  };
}
