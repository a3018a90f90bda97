import type { Directory, Project, Report } from '@switchboard/directory';
import { NotFound, type RateLimit } from '@switchboard/http';
import { coalesce, noReads, type Reads } from '@switchboard/resilience';
import { type Clock, hashToken } from '@switchboard/runtime';
import { LRUCache } from 'lru-cache';
import type { BoardTile, Dashboards } from '../dashboards/dashboards.ts';
import { isOn } from '../public-links/stop-day.ts';
import type { Linked, Run, RunOfReport, SharedLinksStore } from './store.ts';

/** The maximum size of cached encoded runs. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** The size of a cached run without its body. */
const RUN_BYTES = 300;

interface SharedLinksOptions {
  store: SharedLinksStore;
  dashboards: Pick<Dashboards, 'board'>;
  directory: Pick<Directory, 'project' | 'report'>;
  /** The region of this deployment. It does not serve public links of projects in other regions. */
  region: string;
  clock: Clock;
  /** The rate limit per IP address and per token hash. */
  limit: RateLimit<[string, string]>;
}

/** A report with its last run. */
export interface SharedReport {
  report: Report;
  run: Run | undefined;
}

/** A tile of a shared dashboard: a text, or a report. A run that is too large is left out. */
export type SharedTile = { x: number; w: number; h: number } & (
  | { text: string }
  | (SharedReport & { isTooLarge: boolean })
);

/** The data that a link shows. */
export type Shared = { project: Project; expiresOn: string } & (
  | ({ kind: 'report' } & SharedReport)
  | { kind: 'dashboard'; name: string; description: string | null; tiles: SharedTile[] }
);

export interface SharedLinks {
  /** Throws RateLimited. Throws the same NotFound for links that are off, stopped, unknown or malformed. */
  read(token: string, address: string): Promise<Shared>;
  /** Reads the report of a link. Throws like `read`, and the same NotFound for a link of a dashboard. */
  readReport(token: string, address: string): Promise<SharedReport>;
  /** The number of encoded runs read so far, by whether they were cached. */
  reads(): Readonly<Reads>;
}

const notFound = () => new NotFound('Link not found: it is off, has expired or never existed.');

/**
 * Reads reports and dashboards by public link. Each read checks in the database whether the link is on, so that
 * turning it off takes effect immediately on every instance. Concurrent reads share one query. The content of a run
 * never changes, so its encoded bytes are cached.
 */
export function createSharedLinks({
  store,
  dashboards,
  directory,
  region,
  clock,
  limit,
}: SharedLinksOptions): SharedLinks {
  const linkOf = coalesce<string, Linked | undefined>(
    async (hashes) => {
      const links = await store.findByTokenHashes(hashes);
      return hashes.map((hash) => links.get(hash));
    },
    { gathers: true },
  );
  const runs = new LRUCache<string, Run>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ body }) => body.length + RUN_BYTES,
  });
  const reading = new Map<string, Promise<Run | undefined>>();
  const reads = noReads();

  async function readRun({ projectId, reportId }: RunOfReport): Promise<Run | undefined> {
    const run = await store.lastRun(projectId, reportId);
    if (run !== undefined) runs.set(run.runId, run);
    return run;
  }

  /** Returns the run that was named, or a run recorded since. */
  async function runOf(named: RunOfReport): Promise<Run | undefined> {
    if (named.runId === null) return undefined;
    const known = runs.get(named.runId);
    reads[known === undefined ? 'misses' : 'hits']++;
    if (known !== undefined) return known;
    const { runId } = named;
    const run = reading.get(runId) ?? readRun(named).finally(() => reading.delete(runId));
    reading.set(runId, run);
    return run;
  }

  /** Reads the runs one after the other, so that a dashboard holds one connection. */
  async function tilesOf(tiles: readonly BoardTile[]): Promise<SharedTile[]> {
    const shown: SharedTile[] = [];
    for (const tile of tiles) {
      if ('text' in tile) shown.push(tile);
      else shown.push({ ...tile, run: tile.isTooLarge ? undefined : await runOf(tile.named) });
    }
    return shown;
  }

  async function sharedBy(link: Linked | undefined): Promise<Shared | undefined> {
    if (link === undefined || !isOn(link, clock.now())) return undefined;
    const { kind, projectId, subjectId, expiresOn, runId } = link;
    const project = await directory.project(projectId);
    if (project?.region !== region) return undefined;
    if (kind === 'report') {
      const report = await directory.report(projectId, subjectId);
      return (
        report && {
          kind,
          project,
          expiresOn,
          report,
          run: await runOf({ projectId, reportId: subjectId, runId }),
        }
      );
    }
    const board = await dashboards.board({ projectId, dashboardId: subjectId });
    return board && { kind, project, expiresOn, ...board, tiles: await tilesOf(board.tiles) };
  }

  async function read(token: string, address: string): Promise<Shared> {
    const hash = hashToken(token);
    // Unknown tokens count too, so that a 429 does not reveal whether a link exists.
    await limit.consume(address, hash);
    const shared = await sharedBy(await linkOf(hash));
    if (shared === undefined) throw notFound();
    return shared;
  }

  return {
    reads: () => reads,
    read,
    async readReport(token, address) {
      const shared = await read(token, address);
      if (shared.kind !== 'report') throw notFound();
      return shared;
    },
  };
}
