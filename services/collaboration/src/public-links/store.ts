import type { Db, Transactor } from '@switchboard/database';
import { and, eq, gt, type SQL, sql } from 'drizzle-orm';
import { requireHeldReport } from '../directory/reports.ts';
import { publicLinks, reportRuns } from '../schema/index.ts';

export interface LinkRow {
  reportId: string;
  encryptedToken: string;
  createdAt: Date;
  expiresOn: string;
}

/** A link with the time of its report's last run. */
export interface LinkWithRun extends LinkRow {
  ranAt: Date | null;
}

export interface EncryptedLink {
  projectId: string;
  reportId: string;
  encryptedToken: string;
}

export interface PublicLinksStore {
  /** Returns the link if it is on as of `today`. */
  find(projectId: string, reportId: string, today: string): Promise<LinkWithRun | undefined>;
  /**
   * Turns a link on with the given token. If the link is already on, moves its stop day and keeps its token.
   * Throws NotFound when the report no longer exists.
   */
  turnOn(
    link: LinkRow & { projectId: string; tokenHash: string },
    today: string,
    within: Transactor,
  ): Promise<LinkWithRun>;
  turnOff(projectId: string, reportId: string, within: Transactor): Promise<void>;
  /** Returns a page of all links, including stopped ones, ordered by project and report. */
  page(after: EncryptedLink | undefined): Promise<EncryptedLink[]>;
  /** Replaces the encrypted token unless it has changed since. */
  replaceEncrypted(link: EncryptedLink, encryptedToken: string): Promise<void>;
}

const PAGE_SIZE = 500;

const columns = {
  reportId: publicLinks.reportId,
  encryptedToken: publicLinks.encryptedToken,
  createdAt: publicLinks.createdAt,
  expiresOn: publicLinks.expiresOn,
};

const ofReport = (projectId: string, reportId: string) =>
  and(eq(publicLinks.projectId, projectId), eq(publicLinks.reportId, reportId));

const runOf = (projectId: string, reportId: string) =>
  and(eq(reportRuns.projectId, projectId), eq(reportRuns.reportId, reportId));

export function createPublicLinksStore(db: Db): PublicLinksStore {
  return {
    async find(projectId, reportId, today) {
      const [row] = await db
        .select({ ...columns, ranAt: reportRuns.ranAt })
        .from(publicLinks)
        .leftJoin(reportRuns, runOf(projectId, reportId))
        .where(and(ofReport(projectId, reportId), gt(publicLinks.expiresOn, today)));
      return row;
    },

    async turnOn(link, today, within) {
      const keepWhileOn = (column: 'token_hash' | 'sealed_token' | 'created_at'): SQL => {
        const name = sql.identifier(column);
        return sql`case when ${publicLinks}.expires_on > ${today}::date then ${publicLinks}.${name} else excluded.${name} end`;
      };
      return within.transaction(async (tx) => {
        await requireHeldReport(tx, link.projectId, link.reportId);
        const [row] = await tx
          .insert(publicLinks)
          .values(link)
          .onConflictDoUpdate({
            target: [publicLinks.projectId, publicLinks.reportId],
            set: {
              tokenHash: keepWhileOn('token_hash'),
              encryptedToken: keepWhileOn('sealed_token'),
              createdAt: keepWhileOn('created_at'),
              expiresOn: sql`excluded.expires_on`,
            },
          })
          .returning(columns);
        if (row === undefined) throw new Error('public link was not stored');
        const [run] = await tx
          .select({ ranAt: reportRuns.ranAt })
          .from(reportRuns)
          .where(runOf(link.projectId, link.reportId));
        return { ...row, ranAt: run?.ranAt ?? null };
      });
    },

    async turnOff(projectId, reportId, within) {
      await within.transaction((tx) => tx.delete(publicLinks).where(ofReport(projectId, reportId)));
    },

    async page(after) {
      const { projectId, reportId, encryptedToken } = publicLinks;
      return db
        .select({ projectId, reportId, encryptedToken })
        .from(publicLinks)
        .where(after && sql`(${projectId}, ${reportId}) > (${after.projectId}, ${after.reportId})`)
        .orderBy(projectId, reportId)
        .limit(PAGE_SIZE);
    },

    async replaceEncrypted({ projectId, reportId, encryptedToken }, replacement) {
      await db
        .update(publicLinks)
        .set({ encryptedToken: replacement })
        .where(and(ofReport(projectId, reportId), eq(publicLinks.encryptedToken, encryptedToken)));
    },
  };
}
