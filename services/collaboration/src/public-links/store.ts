import type { Database } from '@switchboard/database';
import { and, eq, gt, inArray, type SQL, sql } from 'drizzle-orm';
import { publicLinks, reportRuns } from '../schema.ts';

export interface LinkRow {
  reportId: string;
  sealedToken: string;
  createdAt: Date;
  expiresOn: string;
}

export interface SealedLink {
  projectId: string;
  reportId: string;
  sealedToken: string;
}

const PAGE = 500;

/** What a token leads to. */
export interface LinkedReport {
  projectId: string;
  reportId: string;
  expiresOn: string;
  /** The run that is shown; null before the first. */
  runId: string | null;
}

export interface Run {
  runId: string;
  ranAt: Date;
  /** JSON. */
  report: string;
}

export type LinkStore = ReturnType<typeof createLinkStore>;

const columns = {
  reportId: publicLinks.reportId,
  sealedToken: publicLinks.sealedToken,
  createdAt: publicLinks.createdAt,
  expiresOn: publicLinks.expiresOn,
};

const ofReport = (projectId: string, reportId: string) =>
  and(eq(publicLinks.projectId, projectId), eq(publicLinks.reportId, reportId));

const runOf = (projectId: string, reportId: string) =>
  and(eq(reportRuns.projectId, projectId), eq(reportRuns.reportId, reportId));

export function createLinkStore({ drizzle }: Pick<Database, 'drizzle'>) {
  return {
    /** The link that is on as of `today`, with the time of the report's last run. */
    async find(
      projectId: string,
      reportId: string,
      today: string,
    ): Promise<(LinkRow & { ranAt: Date | null }) | undefined> {
      const [row] = await drizzle
        .select({ ...columns, ranAt: reportRuns.ranAt })
        .from(publicLinks)
        .leftJoin(reportRuns, runOf(projectId, reportId))
        .where(and(ofReport(projectId, reportId), gt(publicLinks.expiresOn, today)));
      return row;
    },

    /** Turns a link on with the token given, or moves the stop day of one that is on, which keeps its token. */
    async turnOn(
      link: LinkRow & { projectId: string; tokenHash: string },
      today: string,
    ): Promise<LinkRow & { ranAt: Date | null }> {
      const keepWhileOn = (column: 'token_hash' | 'sealed_token' | 'created_at'): SQL => {
        const [kept, made] = [sql.identifier(column), sql.identifier(column)];
        return sql`case when ${publicLinks}.expires_on > ${today}::date then ${publicLinks}.${kept} else excluded.${made} end`;
      };
      const [row] = await drizzle
        .insert(publicLinks)
        .values(link)
        .onConflictDoUpdate({
          target: [publicLinks.projectId, publicLinks.reportId],
          set: {
            tokenHash: keepWhileOn('token_hash'),
            sealedToken: keepWhileOn('sealed_token'),
            createdAt: keepWhileOn('created_at'),
            expiresOn: sql`excluded.expires_on`,
          },
        })
        .returning(columns);
      if (row === undefined) throw new Error('a public link was not stored');
      const [run] = await drizzle
        .select({ ranAt: reportRuns.ranAt })
        .from(reportRuns)
        .where(runOf(link.projectId, link.reportId));
      return { ...row, ranAt: run?.ranAt ?? null };
    },

    /** Links of all reports, also those that have stopped, by project and report. */
    async page(after: SealedLink | undefined): Promise<SealedLink[]> {
      const { projectId, reportId, sealedToken } = publicLinks;
      return drizzle
        .select({ projectId, reportId, sealedToken })
        .from(publicLinks)
        .where(after && sql`(${projectId}, ${reportId}) > (${after.projectId}, ${after.reportId})`)
        .orderBy(projectId, reportId)
        .limit(PAGE);
    },

    async replaceSealed({ projectId, reportId, sealedToken }: SealedLink, by: string): Promise<void> {
      await drizzle
        .update(publicLinks)
        .set({ sealedToken: by })
        .where(and(ofReport(projectId, reportId), eq(publicLinks.sealedToken, sealedToken)));
    },

    async turnOff(projectId: string, reportId: string): Promise<void> {
      await drizzle.delete(publicLinks).where(ofReport(projectId, reportId));
    },

    /** What each of the tokens leads to, by its hash. */
    async byTokenHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, LinkedReport>> {
      const rows = await drizzle
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
        .where(inArray(publicLinks.tokenHash, [...hashes]));
      return new Map(rows.map(({ tokenHash, ...link }) => [tokenHash, link]));
    },

    async lastRun(projectId: string, reportId: string): Promise<Run | undefined> {
      const [row] = await drizzle
        .select({ runId: reportRuns.runId, ranAt: reportRuns.ranAt, report: reportRuns.report })
        .from(reportRuns)
        .where(runOf(projectId, reportId));
      return row;
    },
  };
}
