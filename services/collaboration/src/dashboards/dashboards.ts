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
import { utcDay } from '../public-links/stop-day.ts';
import { createRemovalsStore } from '../removals/store.ts';
import { createDashboardsStore, type DashboardRow, isNarrowed } from './store.ts';

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

/** A tile of a board: a text, or a report with the name of its last run. */
export type BoardTile = { x: number; w: number; h: number } & (
  | { text: string }
  | {
      report: Report;
      named: { projectId: string; reportId: string; runId: string | null };
      /** Whether the runs of the tiles before fill the page. */
      isTooLarge: boolean;
    }
);

/** A dashboard without its runs. Its tiles are in reading order; those of deleted reports are left out. */
export interface Board {
  name: string;
  description: string | null;
  tiles: BoardTile[];
}

/** Dashboards of saved reports and texts. */
export interface Dashboards {
  list(projectId: string, page: PageRequest): Promise<{ dashboards: Dashboard[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(key: DashboardKey): Promise<Dashboard>;
  /**
   * Creates or replaces a dashboard. Throws Conflict if the project has too many or a shared dashboard would get a
   * range or filters, and PreconditionFailed unless the dashboard has the version of `ifMatch`.
   */
  put(
    change: AuditedChange,
    key: DashboardKey,
    definition: DashboardDefinition,
    author: { sub: string; ifMatch: string | undefined },
  ): Promise<Dashboard>;
  remove(change: AuditedChange, key: DashboardKey): Promise<void>;
  /** Returns what a public link shows of a dashboard. Undefined if the dashboard does not exist. */
  board(key: DashboardKey): Promise<Board | undefined>;
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

  /** Returns the reports of the tiles, each once, and those of which the runs fit into one response. */
  async function readReports({ projectId, tiles }: DashboardRow) {
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
    return { reports, sizes, fitting };
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
        if (isNarrowed(definition) && (await locked.isShared(projectId, dashboardId, utcDay(clock.now())))) {
          throw new Conflict('The public link shows no range and filters. Delete the link first.');
        }
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
      await change.transaction(async (tx) => {
        const locked = createDashboardsStore(tx);
        await locked.lock(projectId);
        await locked.remove(projectId, dashboardId);
        await createRemovalsStore(tx).removeOfDashboard(projectId, dashboardId);
      });
    },

    async board({ projectId, dashboardId }) {
      const row = await store.find(projectId, dashboardId);
      if (row === undefined) return undefined;
      const { reports, sizes, fitting } = await readReports(row);
      const byId = new Map(reports.map((report) => [report.id, report]));
      const tiles = row.tiles.toSorted((one, other) => one.y - other.y || one.x - other.x);
      return {
        name: row.name,
        description: row.description,
        tiles: tiles.flatMap((tile): BoardTile[] => {
          const { x, w, h } = tile;
          if ('text' in tile) return [{ x, w, h, text: tile.text }];
          const { reportId } = tile;
          const report = byId.get(reportId);
          if (report === undefined) return [];
          const runId = sizes.get(reportId)?.runId ?? null;
          const isTooLarge = runId !== null && !fitting.has(reportId);
          return [{ x, w, h, report, named: { projectId, reportId, runId }, isTooLarge }];
        }),
      };
    },

    async reports(key) {
      const row = await find(key);
      const { projectId } = row;
      const { reports, sizes, fitting } = await readReports(row);
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
