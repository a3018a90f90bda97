import { type Dashboard, type DashboardDefinition, reportDefinition } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import type { Directory, Report } from '@switchboard/directory';
import {
  type AuditedChange,
  Conflict,
  NotFound,
  type PageRequest,
  PreconditionFailed,
} from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { createDashboardsStore, type DashboardRow } from './store.ts';

const MAX_DASHBOARDS = 500;
/** The maximum size of the runs of a dashboard in one response. */
const MAX_RUNS_BYTES = 8_000_000;

interface DashboardsOptions {
  db: Db;
  directory: Pick<Directory, 'report'>;
  clock: Clock;
}

interface DashboardKey {
  projectId: string;
  dashboardId: string;
}

/** Dashboards of saved reports and texts. */
export interface Dashboards {
  list(projectId: string, page: PageRequest): Promise<{ dashboards: Dashboard[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(key: DashboardKey): Promise<Dashboard>;
  /**
   * Creates or replaces a dashboard. Throws Conflict if the project has too many, and PreconditionFailed unless the
   * dashboard has the version of `ifMatch`.
   */
  put(
    change: AuditedChange,
    key: DashboardKey,
    definition: DashboardDefinition,
    author: { sub: string; ifMatch: string | undefined },
  ): Promise<Dashboard>;
  remove(change: AuditedChange, key: DashboardKey): Promise<void>;
  /** Returns the reports of a dashboard with their last runs, as JSON. Throws NotFound. */
  reports(key: DashboardKey): Promise<string>;
}

/** Returns the ETag of a version. */
export const etagOfVersion = ({ version }: Pick<Dashboard, 'version'>): string => `"${version}"`;

export function createDashboards({ db, directory, clock }: DashboardsOptions): Dashboards {
  const store = createDashboardsStore(db);

  async function find({ projectId, dashboardId }: DashboardKey): Promise<DashboardRow> {
    const row = await store.find(projectId, dashboardId);
    if (row === undefined) throw new NotFound('Dashboard not found.');
    return row;
  }

  return {
    async list(projectId, page) {
      const { rows, nextCursor } = await store.list(projectId, page);
      return { dashboards: rows.map(present), nextCursor };
    },

    get: async (key) => present(await find(key)),

    put: (change, { projectId, dashboardId }, definition, { sub, ifMatch }) =>
      change.transaction(async (tx) => {
        const locked = createDashboardsStore(tx);
        await locked.lock(projectId);
        const before = await locked.find(projectId, dashboardId);
        requireVersion(before, ifMatch);
        if (before === undefined && (await locked.count(projectId)) >= MAX_DASHBOARDS) {
          throw new Conflict(`The project has ${MAX_DASHBOARDS} dashboards. Delete one first.`);
        }
        const { name, description, tiles, range, where } = definition;
        const row = {
          projectId,
          id: dashboardId,
          name,
          description,
          tiles,
          range,
          where,
          ownerSub: before === undefined ? sub : before.ownerSub,
          version: (before?.version ?? 0) + 1,
          updatedAt: clock.now(),
        };
        await locked.save(row);
        return present(row);
      }),

    async remove(change, { projectId, dashboardId }) {
      await change.transaction((tx) => createDashboardsStore(tx).remove(projectId, dashboardId));
    },

    async reports(key) {
      const { projectId, tiles } = await find(key);
      const ids = [...new Set(tiles.flatMap((tile) => ('reportId' in tile ? [tile.reportId] : [])))];
      const found = await Promise.all(ids.map((id) => directory.report(projectId, id)));
      const reports = found.filter((report) => report !== undefined);
      const sizes = new Map((await store.runSizes(projectId, ids)).map((run) => [run.reportId, run]));
      const fitting = new Set<string>();
      let bytes = 0;
      for (const { id } of reports) {
        const size = sizes.get(id)?.bytes;
        if (size === undefined || bytes + size > MAX_RUNS_BYTES) continue;
        bytes += size;
        fitting.add(id);
      }
      const runs = await store.runs(projectId, [...fitting]);
      const items = reports.map((report) => {
        const ranAt = sizes.get(report.id)?.ranAt.toISOString() ?? null;
        const isTooLarge = ranAt !== null && !fitting.has(report.id);
        const head = JSON.stringify({ ...presentReport(report), ranAt, isTooLarge });
        // Stored JSON is sent as it is, because parsing it takes longer than the whole request.
        return `${head.slice(0, -1)},"report":${runs.get(report.id) ?? 'null'}}`;
      });
      return `{"reports":[${items.join(',')}]}`;
    },
  };
}

function requireVersion(before: DashboardRow | undefined, ifMatch: string | undefined): void {
  if (ifMatch === undefined) return;
  if (before === undefined) throw new PreconditionFailed('If-Match: the dashboard does not exist.');
  if (ifMatch === '*' || ifMatch === etagOfVersion(before)) return;
  throw new PreconditionFailed(
    `If-Match: the dashboard is at version ${before.version}. Read it again and repeat your change.`,
  );
}

const present = ({ updatedAt, ...row }: DashboardRow): Dashboard => ({
  ...row,
  updatedAt: updatedAt.toISOString(),
});

/** Omits a query that this version does not recognize. */
const presentReport = ({ id, name, query }: Report) => ({
  reportId: id,
  name,
  query: reportDefinition.shape.query.safeParse(query).data ?? null,
});
