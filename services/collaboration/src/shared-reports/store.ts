import type { Db } from '@switchboard/database';
import { and, eq, sql } from 'drizzle-orm';
import { publicLinks, reportRuns } from '../schema/index.ts';

/** The report that a token opens. */
export interface LinkedReport {
  projectId: string;
  reportId: string;
  expiresOn: string;
  /** The last run. Null before the first run. */
  runId: string | null;
}

export interface Run {
  runId: string;
  ranAt: Date;
  /** `{"report": ...}`, in UTF-8. */
  body: Buffer<ArrayBuffer>;
}

export interface SharedReportsStore {
  /** Returns the reports that these tokens open, by token hash. */
  findByTokenHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, LinkedReport>>;
  lastRun(projectId: string, reportId: string): Promise<Run | undefined>;
}

export function createSharedReportsStore(db: Db): SharedReportsStore {
  const links = db
    .select({
      tokenHash: publicLinks.tokenHash,
      projectId: publicLinks.projectId,
      reportId: publicLinks.reportId,
      expiresOn: publicLinks.expiresOn,
      runId: reportRuns.runId,
    })
    .from(publicLinks)
    .leftJoin(
      reportRuns,
      and(eq(reportRuns.projectId, publicLinks.projectId), eq(reportRuns.reportId, publicLinks.reportId)),
    )
    // A single array parameter, so that the query is built and parsed once.
    .where(sql`${publicLinks.tokenHash} = any(${sql.placeholder('hashes')}::text[])`)
    .prepare('links_by_token_hash');

  return {
    async findByTokenHashes(hashes) {
      const rows = await links.execute({ hashes });
      return new Map(rows.map(({ tokenHash, ...link }) => [tokenHash, link]));
    },

    async lastRun(projectId, reportId) {
      const [row] = await db
        .select({ runId: reportRuns.runId, ranAt: reportRuns.ranAt, report: reportRuns.report })
        .from(reportRuns)
        .where(and(eq(reportRuns.projectId, projectId), eq(reportRuns.reportId, reportId)));
      if (row === undefined) return undefined;
      const { report, ...run } = row;
      return { ...run, body: Buffer.from(`{"report":${report}}`) };
    },
  };
}
