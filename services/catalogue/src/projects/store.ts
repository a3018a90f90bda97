import type { Db, Tx } from '@switchboard/database';
import { type Page, type PageRequest, toPage } from '@switchboard/http';
import { and, asc, eq, gt, inArray, notExists, sql } from 'drizzle-orm';
import { projectKeys, projects, reports } from '../schema/index.ts';

export type ProjectRow = typeof projects.$inferSelect;

interface RemovedOfProjects {
  keys: string[];
  reports: { projectId: string; id: string }[];
  projects: Pick<ProjectRow, 'id' | 'region'>[];
}

export interface ProjectsStore {
  /** Returns a page of the company's projects, ordered by id. */
  list(companyId: string, page: PageRequest): Promise<Page<ProjectRow>>;
  find(id: string): Promise<ProjectRow | undefined>;
  /** Returns the project and locks it against removal and change until the transaction ends. */
  hold(id: string): Promise<ProjectRow | undefined>;
  /** Returns the project and locks it for change or removal, after waiting for every transaction that holds it. */
  lock(id: string): Promise<ProjectRow | undefined>;
  /**
   * Adds the project unless it exists, and locks it against removal until the transaction ends. An existing
   * project is unchanged.
   */
  insertIfMissing(row: ProjectRow): Promise<void>;
  update(row: ProjectRow): Promise<void>;
  hasKeys(id: string): Promise<boolean>;
  /**
   * Removes up to `limit` keys and up to `limit` reports of locked projects, then the projects that have none
   * left. Returns the removed entries.
   */
  removeSome(ids: string[], limit: number): Promise<RemovedOfProjects>;
}

export function createProjectsStore(db: Db | Tx): ProjectsStore {
  return {
    async list(companyId, { cursor, limit }) {
      const isAfter = cursor === undefined ? undefined : gt(projects.id, cursor);
      const rows = await db
        .select()
        .from(projects)
        .where(and(eq(projects.companyId, companyId), isAfter))
        .orderBy(asc(projects.id))
        .limit(limit + 1);
      return toPage(rows, limit, ({ id }) => id);
    },

    async find(id) {
      const [row] = await db.select().from(projects).where(eq(projects.id, id));
      return row;
    },

    async hold(id) {
      const [row] = await db.select().from(projects).where(eq(projects.id, id)).for('key share');
      return row;
    },

    async lock(id) {
      const [row] = await db.select().from(projects).where(eq(projects.id, id)).for('update');
      return row;
    },

    async insertIfMissing(row) {
      // A no-op update locks the row, unlike `do nothing`.
      await db
        .insert(projects)
        .values(row)
        .onConflictDoUpdate({ target: projects.id, set: { id: row.id } });
    },

    async update({ id, ...content }) {
      await db.update(projects).set(content).where(eq(projects.id, id));
    },

    async hasKeys(id) {
      const rows = await db
        .select({ key: projectKeys.key })
        .from(projectKeys)
        .where(eq(projectKeys.projectId, id))
        .limit(1);
      return rows.length > 0;
    },

    async removeSome(ids, limit) {
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
        .returning({ id: projects.id, region: projects.region });
      return {
        keys: keys.map(({ key }) => key),
        reports: removedReports,
        projects: removed,
      };
    },
  };
}
