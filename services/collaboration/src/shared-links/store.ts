import type { Db } from '@switchboard/database';
import { and, eq, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { dashboardLinks, publicLinks, reportRuns } from '../schema/index.ts';

/** A run of a report, identified by `runId`. runId is null before the first run. */
export interface RunOfReport {
  projectId: string;
  reportId: string;
  runId: string | null;
}

/** The subject that a token opens. */
export interface Linked {
  kind: 'report' | 'dashboard';
  projectId: string;
  subjectId: string;
  expiresOn: string;
  /** The last run of a report. Null before the first run, and for dashboards. */
  runId: string | null;
}

export interface Run {
  runId: string;
  ranAt: Date;
  /** `{"report": ...}`, in UTF-8. */
  body: Buffer<ArrayBuffer>;
}

export interface SharedLinksStore {
  /** Returns the reports and dashboards that these tokens open, by token hash. */
  findByTokenHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, Linked>>;
  lastRun(projectId: string, reportId: string): Promise<Run | undefined>;
}

export function createSharedLinksStore(db: Db): SharedLinksStore {
  // A single array parameter, so that the query is built and parsed once.
  const hashes = sql`any(${sql.placeholder('hashes')}::text[])`;
  const links = unionAll(
    db
      .select({
        tokenHash: publicLinks.tokenHash,
        kind: sql<Linked['kind']>`'report'`.as('kind'),
        projectId: publicLinks.projectId,
        subjectId: publicLinks.subjectId,
        expiresOn: publicLinks.expiresOn,
        runId: sql<string | null>`${reportRuns.runId}`.as('run_id'),
      })
      .from(publicLinks)
      .leftJoin(
        reportRuns,
        and(eq(reportRuns.projectId, publicLinks.projectId), eq(reportRuns.reportId, publicLinks.subjectId)),
      )
      .where(sql`${publicLinks.tokenHash} = ${hashes}`),
    db
      .select({
        tokenHash: dashboardLinks.tokenHash,
        kind: sql<Linked['kind']>`'dashboard'`.as('kind'),
        projectId: dashboardLinks.projectId,
        subjectId: dashboardLinks.subjectId,
        expiresOn: dashboardLinks.expiresOn,
        runId: sql<string | null>`null`.as('run_id'),
      })
      .from(dashboardLinks)
      .where(sql`${dashboardLinks.tokenHash} = ${hashes}`),
  ).prepare('links_by_token_hash');

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
