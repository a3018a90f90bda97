import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq, inArray, isNotNull, notExists, sql } from 'drizzle-orm';
import { companies, members, projectKeys, projects, reports } from '../schema/index.ts';

interface RemovedOfProjects {
  keys: string[];
  reports: { projectId: string; id: string }[];
  projects: { id: string; companyId: string; region: string }[];
}

/** Only these methods see companies that are being deleted. */
export interface RemovalsStore {
  /** Marks the company as being deleted. Returns false if it does not exist. */
  beginCompany(id: string): Promise<boolean>;
  /** Returns up to `limit` companies that are being deleted, longest-running first. */
  companies(limit: number): Promise<string[]>;
  /**
   * Locks a company that is being deleted, after waiting for every transaction that holds it. Returns false if it
   * does not exist.
   */
  lockCompany(id: string): Promise<boolean>;
  /** Locks up to `limit` of the company's projects in the order of their ids and returns their ids. */
  lockProjects(companyId: string, limit: number): Promise<string[]>;
  /**
   * Removes up to `limit` keys and up to `limit` reports of locked projects, then the projects that have none
   * left. Returns the removed entries.
   */
  removeProjects(ids: string[], limit: number): Promise<RemovedOfProjects>;
  /** Removes up to `limit` members and returns their subs. */
  removeMembers(companyId: string, limit: number): Promise<string[]>;
  /** Removes a company that has no members or projects left. */
  removeCompany(id: string): Promise<void>;
}

const isRemoval = isNotNull(companies.removedAt);

export function createRemovalsStore(db: Db | Tx): RemovalsStore {
  return {
    async beginCompany(id) {
      const begun = await db
        .update(companies)
        .set({ removedAt: sql`coalesce(${companies.removedAt}, now())` })
        .where(eq(companies.id, id))
        .returning({ id: companies.id });
      return begun.length > 0;
    },

    async companies(limit) {
      const rows = await db
        .select({ id: companies.id })
        .from(companies)
        .where(isRemoval)
        .orderBy(asc(companies.removedAt))
        .limit(limit);
      return rows.map(({ id }) => id);
    },

    async lockCompany(id) {
      const rows = await db
        .select({ id: companies.id })
        .from(companies)
        .where(and(eq(companies.id, id), isRemoval))
        .for('update');
      return rows.length > 0;
    },

    async lockProjects(companyId, limit) {
      const rows = await db
        .select({ id: projects.id })
        .from(projects)
        .where(eq(projects.companyId, companyId))
        .orderBy(asc(projects.id))
        .limit(limit)
        .for('update');
      return rows.map(({ id }) => id);
    },

    async removeMembers(companyId, limit) {
      const ofCompany = eq(members.companyId, companyId);
      const some = db.select({ sub: members.sub }).from(members).where(ofCompany).limit(limit);
      const removed = await db
        .delete(members)
        .where(and(ofCompany, inArray(members.sub, some)))
        .returning({ sub: members.sub });
      return removed.map(({ sub }) => sub);
    },

    async removeCompany(id) {
      await db.delete(companies).where(eq(companies.id, id));
    },

    async removeProjects(ids, limit) {
      const someKeys = db
        .select({ key: projectKeys.key })
        .from(projectKeys)
        .where(inArray(projectKeys.projectId, ids))
        .limit(limit);
      const keys = await db
        .delete(projectKeys)
        .where(inArray(projectKeys.key, someKeys))
        .returning({ key: projectKeys.key });
      const names = { projectId: reports.projectId, id: reports.id };
      const someReports = db.select(names).from(reports).where(inArray(reports.projectId, ids)).limit(limit);
      const removedReports = await db
        .delete(reports)
        .where(sql`(${reports.projectId}, ${reports.id}) in ${someReports}`)
        .returning(names);
      const hasNone = and(
        notExists(db.select().from(projectKeys).where(eq(projectKeys.projectId, projects.id))),
        notExists(db.select().from(reports).where(eq(reports.projectId, projects.id))),
      );
      const removed = await db
        .delete(projects)
        .where(and(inArray(projects.id, ids), hasNone))
        .returning({ id: projects.id, companyId: projects.companyId, region: projects.region });
      return {
        keys: keys.map(({ key }) => key),
        reports: removedReports,
        projects: removed,
      };
    },
  };
}
