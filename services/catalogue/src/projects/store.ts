import type { Db, Tx } from '@switchboard/database';
import { type Page, type PageRequest, toPage } from '@switchboard/http';
import { and, asc, eq, gt } from 'drizzle-orm';
import { projectKeys, projects, throttles } from '../schema/index.ts';

type ProjectRow = typeof projects.$inferSelect;

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
  /** Returns the events per second to which the project is throttled. Undefined: not throttled. */
  throttle(id: string): Promise<number | undefined>;
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

    async throttle(id) {
      const [row] = await db
        .select({ eventsPerSecond: throttles.eventsPerSecond })
        .from(throttles)
        .where(eq(throttles.projectId, id));
      return row?.eventsPerSecond;
    },
  };
}
