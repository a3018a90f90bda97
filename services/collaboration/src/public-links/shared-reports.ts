import { gatherReads } from '@switchboard/database';
import type { Directory, Project, Report } from '@switchboard/directory';
import { type Clock, hashToken, NotFound, type RateLimit } from '@switchboard/service-kit';
import { LRUCache } from 'lru-cache';
import { isOn } from './stop-day.ts';
import type { LinkedReport, LinkStore, Run } from './store.ts';

const CACHED_CHARACTERS = 32 * 1024 * 1024;

interface SharedReportsOptions {
  store: LinkStore;
  directory: Pick<Directory, 'project' | 'report'>;
  clock: Clock;
  limits: { ofAddress: RateLimit; ofLink: RateLimit };
}

/** What a link shows at this moment. */
export interface SharedReport {
  project: Project;
  report: Report;
  expiresOn: string;
  run: Run | undefined;
}

export interface SharedReports {
  /** Throws RateLimited, or one and the same NotFound for a link that is off, stopped, unknown or malformed. */
  read(token: string, address: string): Promise<SharedReport>;
}

/**
 * Reads by public link. Every read asks the database whether the link is on, in one query that all reads
 * waiting at that moment share, so that a link that was turned off is off everywhere at once; the content of
 * a run never changes and comes from memory.
 */
export function createSharedReports({
  store,
  directory,
  clock,
  limits,
}: SharedReportsOptions): SharedReports {
  const linkOf = gatherReads(store.byTokenHashes);
  const runs = new LRUCache<string, Run>({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: ({ report }) => report.length + 200,
  });
  const reads = new Map<string, Promise<Run | undefined>>();

  async function readRun({ projectId, reportId }: LinkedReport): Promise<Run | undefined> {
    const run = await store.lastRun(projectId, reportId);
    if (run !== undefined) runs.set(run.runId, run);
    return run;
  }

  /** The run the link named a moment ago, or one recorded since. */
  async function runOf(link: LinkedReport): Promise<Run | undefined> {
    if (link.runId === null) return undefined;
    const known = runs.get(link.runId);
    if (known !== undefined) return known;
    const { runId } = link;
    const reading = reads.get(runId) ?? readRun(link).finally(() => reads.delete(runId));
    reads.set(runId, reading);
    return reading;
  }

  async function reportOf(link: LinkedReport | undefined) {
    if (link === undefined || !isOn(link, clock.now())) return undefined;
    const project = await directory.project(link.projectId);
    const report = await directory.report(link.projectId, link.reportId);
    return project && report && { project, report, expiresOn: link.expiresOn, run: await runOf(link) };
  }

  return {
    async read(token, address) {
      await limits.ofAddress.consume(address);
      const hash = hashToken(token);
      const link = await linkOf(hash);
      // Counted for every token, so that a refusal does not tell a link that is on from one that never was.
      await limits.ofLink.consume(hash);
      const shared = await reportOf(link);
      if (shared === undefined) throw new NotFound('This link is off, has stopped or never existed.');
      return shared;
    },
  };
}
