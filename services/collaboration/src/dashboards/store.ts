import type { Db, Tx } from '@switchboard/database';
import { type Page, type PageRequest, toPage } from '@switchboard/http';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { dashboardLinks, dashboards, reportRuns } from '../schema/index.ts';

export type DashboardRow = typeof dashboards.$inferSelect;

/** A stored run of a report without its content. */
export interface RunSize {
  reportId: string;
  runId: string;
  ranAt: Date;
  bytes: number;
}

export interface DashboardsStore {
  /** Returns a page of the project's dashboards, ordered by id. */
  list(projectId: string, page: PageRequest): Promise<Page<DashboardRow>>;
  find(projectId: string, id: string): Promise<DashboardRow | undefined>;
  /** Returns the sizes of the last runs of these reports. */
  runSizes(projectId: string, reportIds: readonly string[]): Promise<RunSize[]>;
  /** Returns the last runs of these reports as JSON, by report. */
  runs(projectId: string, reportIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Locks the dashboards of a project against other changes, until the transaction ends. */
  lock(projectId: string): Promise<void>;
  count(projectId: string): Promise<number>;
  save(row: DashboardRow): Promise<void>;
  /** Removes a dashboard with its public link. */
  remove(projectId: string, id: string): Promise<void>;
  /** Whether the public link of the dashboard is on as of `today`. */
  isShared(projectId: string, id: string, today: string): Promise<boolean>;
}

/** Whether the dashboard has a range or filters of its own. */
export const isNarrowed = ({ range, where }: Pick<DashboardRow, 'range' | 'where'>): boolean =>
  range !== null || where.length > 0;

const named = (projectId: string, id: string) =>
  and(eq(dashboards.projectId, projectId), eq(dashboards.id, id));

const linkOf = (projectId: string, id: string) =>
  and(eq(dashboardLinks.projectId, projectId), eq(dashboardLinks.subjectId, id));

const runsOf = (projectId: string, reportIds: readonly string[]) =>
  and(
    eq(reportRuns.projectId, projectId),
    sql`${reportRuns.reportId} = any(${sql.param([...reportIds])}::text[])`,
  );

/** Distinguishes this lock from other advisory locks of the database. */
const LOCK_SPACE = 3;

export function createDashboardsStore(db: Db | Tx): DashboardsStore {
  return {
    async list(projectId, { cursor, limit }) {
      const rows = await db
        .select()
        .from(dashboards)
        .where(
          and(
            eq(dashboards.projectId, projectId),
            cursor === undefined ? undefined : gt(dashboards.id, cursor),
          ),
        )
        .orderBy(asc(dashboards.id))
        .limit(limit + 1);
      return toPage(rows, limit, ({ id }) => id);
    },

    async find(projectId, id) {
      const [row] = await db.select().from(dashboards).where(named(projectId, id));
      return row;
    },

    runSizes: (projectId, reportIds) =>
      db
        .select({
          reportId: reportRuns.reportId,
          runId: reportRuns.runId,
          ranAt: reportRuns.ranAt,
          bytes: sql<number>`octet_length(${reportRuns.report})`,
        })
        .from(reportRuns)
        .where(runsOf(projectId, reportIds)),

    async runs(projectId, reportIds) {
      const rows = await db
        .select({ reportId: reportRuns.reportId, report: reportRuns.report })
        .from(reportRuns)
        .where(runsOf(projectId, reportIds));
      return new Map(rows.map(({ reportId, report }) => [reportId, report]));
    },

    async lock(projectId) {
      await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${projectId}, ${LOCK_SPACE}))`);
    },

    count: (projectId) => db.$count(dashboards, eq(dashboards.projectId, projectId)),

    async save(row) {
      const { projectId: _, id: __, ...set } = row;
      await db
        .insert(dashboards)
        .values(row)
        .onConflictDoUpdate({ target: [dashboards.projectId, dashboards.id], set });
    },

    async remove(projectId, id) {
      await db.delete(dashboardLinks).where(linkOf(projectId, id));
      await db.delete(dashboards).where(named(projectId, id));
    },

    async isShared(projectId, id, today) {
      const isOn = and(linkOf(projectId, id), gt(dashboardLinks.expiresOn, today));
      return (await db.$count(dashboardLinks, isOn)) > 0;
    },
  };
}
