import type { Directory, Project, Report } from '@switchboard/directory';
import { NotFound, type RateLimit } from '@switchboard/http';
import { coalesce, noReads, type Reads } from '@switchboard/resilience';
import { type Clock, hashToken } from '@switchboard/runtime';
import { LRUCache } from 'lru-cache';
import { isOn } from '../public-links/stop-day.ts';
import type { LinkedReport, Run, SharedReportsStore } from './store.ts';

/** The maximum size of cached encoded runs. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** The size of a cached run without its body. */
const RUN_BYTES = 300;

interface SharedReportsOptions {
  store: SharedReportsStore;
  directory: Pick<Directory, 'project' | 'report'>;
  /** The region of this deployment. It does not serve public reports of projects in other regions. */
  region: string;
  clock: Clock;
  /** The rate limit per IP address and per token hash. */
  limit: RateLimit<[string, string]>;
}

/** The data that a link shows. */
export interface SharedReport {
  project: Project;
  report: Report;
  expiresOn: string;
  run: Run | undefined;
}

export interface SharedReports {
  /** Throws RateLimited. Throws the same NotFound for links that are off, stopped, unknown or malformed. */
  read(token: string, address: string): Promise<SharedReport>;
  /** The number of encoded runs read so far, by whether they were cached. */
  reads(): Readonly<Reads>;
}

/**
 * Reads reports by public link. Each read checks in the database whether the link is on, so that turning it off
 * takes effect immediately on every instance. Concurrent reads share one query. The content of a run never
 * changes, so its encoded bytes are cached.
 */
export function createSharedReports({
  store,
  directory,
  region,
  clock,
  limit,
}: SharedReportsOptions): SharedReports {
  const linkOf = coalesce<string, LinkedReport | undefined>(
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

  async function readRun({ projectId, reportId }: LinkedReport): Promise<Run | undefined> {
    const run = await store.lastRun(projectId, reportId);
    if (run !== undefined) runs.set(run.runId, run);
    return run;
  }

  /** Returns the run that the link named when it was read, or a run recorded since. */
  async function runOf(link: LinkedReport): Promise<Run | undefined> {
    if (link.runId === null) return undefined;
    const known = runs.get(link.runId);
    reads[known === undefined ? 'misses' : 'hits']++;
    if (known !== undefined) return known;
    const { runId } = link;
    const run = reading.get(runId) ?? readRun(link).finally(() => reading.delete(runId));
    reading.set(runId, run);
    return run;
  }

  async function reportOf(link: LinkedReport | undefined) {
    if (link === undefined || !isOn(link, clock.now())) return undefined;
    const project = await directory.project(link.projectId);
    if (project?.region !== region) return undefined;
    const report = await directory.report(link.projectId, link.reportId);
    return report && { project, report, expiresOn: link.expiresOn, run: await runOf(link) };
  }

  return {
    reads: () => reads,

    async read(token, address) {
      const hash = hashToken(token);
      // Unknown tokens count too, so that a 429 does not reveal whether a link exists.
      await limit.consume(address, hash);
      const link = await linkOf(hash);
      const shared = await reportOf(link);
      if (shared === undefined)
        throw new NotFound('Link not found: it is off, has expired or never existed.');
      return shared;
    },
  };
}
