import type { Db, Tx } from '@switchboard/database';
import { and, eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import {
  annotations,
  comments,
  dashboardLinks,
  dashboards,
  deliveries,
  droppedEndpoints,
  publicLinks,
  reactions,
  reportRunCohorts,
  reportRunFailures,
  reportRunHistory,
  reportRuns,
  shares,
  subscribers,
  subscriptionMails,
  subscriptions,
  threadReads,
  threads,
} from '../schema/index.ts';
import { removeJobs, removeMails } from '../schema/jobs.ts';

export interface RemovalsStore {
  /** Removes the data of a report: its link, runs, threads, annotations, shares and subscriptions. */
  removeOfReport(projectId: string, reportId: string): Promise<void>;
  /** Removes the subscriptions of a dashboard. */
  removeOfDashboard(projectId: string, dashboardId: string): Promise<void>;
  /** Removes the waiting deliveries to a member of a company, and takes them off subscriptions. */
  removeWaiting(companyId: string, sub: string): Promise<void>;
  removeOfProject(projectId: string): Promise<void>;
}

const TABLES = [
  annotations,
  publicLinks,
  reportRunFailures,
  reportRunCohorts,
  reportRunHistory,
  reportRuns,
  threadReads,
] as const;

/** Returns the column that says which report a row is of. The index of annotations has `scope`. */
function reportIdOf(table: OfReports) {
  if ('scope' in table) return table.scope;
  return 'subjectId' in table ? table.subjectId : table.reportId;
}

type OfReports = (typeof TABLES)[number] | typeof threads | typeof shares;

export function createRemovalsStore(db: Db | Tx): RemovalsStore {
  return {
    removeOfReport: (projectId, reportId) =>
      db.transaction(async (tx) => {
        await removeAll(tx, (table) => and(eq(table.projectId, projectId), eq(reportIdOf(table), reportId)));
        await removeSubscriptions(tx, projectId, { kind: 'report', id: reportId });
      }),

    removeOfDashboard: (projectId, dashboardId) =>
      removeSubscriptions(db, projectId, { kind: 'dashboard', id: dashboardId }),

    removeOfProject: (projectId) =>
      db.transaction(async (tx) => {
        await removeAll(tx, (table) => eq(table.projectId, projectId));
        await tx.delete(dashboardLinks).where(eq(dashboardLinks.projectId, projectId));
        await tx.delete(dashboards).where(eq(dashboards.projectId, projectId));
        await removeSubscriptions(tx, projectId);
      }),

    async removeWaiting(companyId, sub) {
      const ofCompany = db.select({ id: shares.id }).from(shares).where(eq(shares.companyId, companyId));
      const removed = await db
        .delete(deliveries)
        .where(
          and(
            eq(deliveries.recipientSub, sub),
            // Not a parameter, so that the index of waiting deliveries is used.
            sql`${deliveries.state} = 'waiting'`,
            inArray(deliveries.shareId, ofCompany),
          ),
        )
        .returning({ id: deliveries.id, endpoint: deliveries.endpoint });
      await removeJobs(db, removed);
      // The erasure of a colleague finds endpoints through deliveries, which are now removed.
      const endpoints = removed.map(({ endpoint }) => endpoint).filter((endpoint) => endpoint !== null);
      await db.delete(droppedEndpoints).where(inArray(droppedEndpoints.endpoint, endpoints));
      await removeSubscriber(db, sub, companyId);
    },
  };
}

/** Removes the subscriptions of a report, a dashboard or a whole project, with their subscribers and mails. */
async function removeSubscriptions(
  db: Db | Tx,
  projectId: string,
  target?: { kind: 'report' | 'dashboard'; id: string },
): Promise<void> {
  const which = and(
    eq(subscriptions.projectId, projectId),
    target && and(eq(subscriptions.targetKind, target.kind), eq(subscriptions.targetId, target.id)),
  );
  const ids = db.select({ id: subscriptions.id }).from(subscriptions).where(which);
  await removeMails(
    db,
    and(eq(subscriptionMails.projectId, projectId), inArray(subscriptionMails.subscriptionId, ids)),
  );
  await db.delete(subscriptions).where(which);
}

/** Takes a member off the subscriptions of a company. */
async function removeSubscriber(db: Db | Tx, sub: string, companyId: string): Promise<void> {
  const isOfMember = (table: typeof subscriptionMails | typeof subscribers) =>
    and(
      eq(table.sub, sub),
      sql`exists (select 1 from ${subscriptions} where ${subscriptions.projectId} = ${table.projectId}
        and ${subscriptions.id} = ${table.subscriptionId} and ${subscriptions.companyId} = ${companyId})`,
    );
  await removeMails(db, isOfMember(subscriptionMails));
  await db.delete(subscribers).where(isOfMember(subscribers));
}

async function removeAll(tx: Tx, which: (table: OfReports) => SQL | undefined): Promise<void> {
  await removeThreads(tx, tx.select({ id: threads.id }).from(threads).where(which(threads)));
  await removeShares(tx, tx.select({ id: shares.id }).from(shares).where(which(shares)));
  for (const table of TABLES) await tx.delete(table).where(which(table));
}

/** Removes threads with their comments and reactions. Locks all threads first, so that none of these is added. */
async function removeThreads(tx: Tx, ids: SQLWrapper): Promise<void> {
  const ofThreads = inArray(comments.threadId, ids);
  await tx.select({ id: threads.id }).from(threads).where(inArray(threads.id, ids)).for('update');
  await tx.select({ id: comments.id }).from(comments).where(ofThreads).for('update');
  const written = tx.select({ id: comments.id }).from(comments).where(ofThreads);
  await tx.delete(reactions).where(inArray(reactions.commentId, written));
  await tx.delete(comments).where(ofThreads);
  await tx.delete(threads).where(inArray(threads.id, ids));
}

/** Removes shares with their deliveries. */
async function removeShares(tx: Tx, ids: SQLWrapper): Promise<void> {
  const removed = await tx
    .delete(deliveries)
    .where(inArray(deliveries.shareId, ids))
    .returning({ id: deliveries.id });
  await removeJobs(tx, removed);
  await tx.delete(shares).where(inArray(shares.id, ids));
}
