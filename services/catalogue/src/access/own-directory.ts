import type { Db } from '@switchboard/database';
import type { AccessDirectory } from '@switchboard/service-kit';
import { createMembersStore } from '../members/store.ts';
import { createProjectsStore } from '../projects/store.ts';

/** Memberships and projects, read where they are written: no operation of catalogue takes a project key. */
export function ownDirectory(db: Db): AccessDirectory {
  const members = createMembersStore(db);
  const projects = createProjectsStore(db);
  return {
    projectKey: () => undefined,
    project: (projectId) => projects.find(projectId),
    async member(companyId, sub) {
      const row = await members.find(companyId, sub);
      return row === undefined ? undefined : { ...row, pushSubscriptions: [] };
    },
  };
}
