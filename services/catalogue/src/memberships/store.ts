import type { Role } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { type Page, type PageRequest, toPage } from '@switchboard/http';
import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import { companies, members, projects } from '../schema/index.ts';

type ProjectRow = typeof projects.$inferSelect;

interface MembershipRow {
  id: string;
  name: string;
  role: Role;
}

export interface MembershipsStore {
  /** Returns a page of the companies that a person is a member of, ordered by id. */
  companies(sub: string, page: PageRequest): Promise<Page<MembershipRow>>;
  /** Returns a page of the projects of these companies, ordered by id. */
  projects(sub: string, page: PageRequest): Promise<Page<ProjectRow>>;
}

export function createMembershipsStore(db: Db): MembershipsStore {
  return {
    async companies(sub, { cursor, limit }) {
      const isAfter = cursor === undefined ? undefined : gt(members.companyId, cursor);
      const rows = await db
        .select({ id: companies.id, name: companies.name, role: members.role })
        .from(members)
        .innerJoin(companies, and(eq(companies.id, members.companyId), isNull(companies.removedAt)))
        .where(and(eq(members.sub, sub), isAfter))
        .orderBy(asc(members.companyId))
        .limit(limit + 1);
      return toPage(rows, limit, ({ id }) => id);
    },

    async projects(sub, { cursor, limit }) {
      const isAfter = cursor === undefined ? undefined : gt(projects.id, cursor);
      // Reads at most one page per company, regardless of its number of projects.
      const ofCompany = db
        .select()
        .from(projects)
        .where(and(eq(projects.companyId, members.companyId), isAfter))
        .orderBy(asc(projects.id))
        .limit(limit + 1)
        .as('of_company');
      const rows = await db
        .select(ofCompany._.selectedFields)
        .from(members)
        .crossJoinLateral(ofCompany)
        .where(eq(members.sub, sub))
        .orderBy(asc(ofCompany.id))
        .limit(limit + 1);
      return toPage(rows, limit, ({ id }) => id);
    },
  };
}
