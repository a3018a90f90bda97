import { type OwnCompany, type Project, permissionsOf } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import type { PageRequest } from '@switchboard/http';
import { projectOf } from '../records/projects.ts';
import { createMembershipsStore } from './store.ts';

/** The companies that a person is a member of, and the projects of those companies. */
export interface Memberships {
  companies(sub: string, page: PageRequest): Promise<{ companies: OwnCompany[]; nextCursor: string | null }>;
  projects(sub: string, page: PageRequest): Promise<{ projects: Project[]; nextCursor: string | null }>;
}

export function createMemberships({ db }: { db: Db }): Memberships {
  const store = createMembershipsStore(db);
  return {
    async companies(sub, page) {
      const { rows, nextCursor } = await store.companies(sub, page);
      return {
        companies: rows.map((company) => ({ ...company, permissions: permissionsOf(company.role) })),
        nextCursor,
      };
    },

    async projects(sub, page) {
      const { rows, nextCursor } = await store.projects(sub, page);
      return { projects: rows.map(projectOf), nextCursor };
    },
  };
}
