import type { Tx } from '@switchboard/database';
import type { OnRemoved } from '@switchboard/directory';
import { and, eq, inArray, type SQLWrapper, sql } from 'drizzle-orm';
import {
  annotations,
  comments,
  deliveries,
  publicLinks,
  reactions,
  reportRunCohorts,
  reportRunFailures,
  reportRuns,
  shares,
  threads,
} from '../schema/index.ts';

/**
 * Removes what is kept under a report that is gone: its link, runs, threads, annotations and shares. Of a member who is
 * gone, what was to be delivered to them; what they wrote stays, and is theirs again if they come back.
 */
export const removeDependents: OnRemoved = async (tx, removed) => {
  for (const one of removed) {
    if (one.kind === 'report') await removeOfReport(tx, one);
    else await removeWaiting(tx, one);
  }
};

interface Report {
  projectId: string;
  reportId: string;
}

async function removeOfReport(tx: Tx, { projectId, reportId }: Report): Promise<void> {
  const ofReport = (table: typeof threads | typeof shares) =>
    and(eq(table.projectId, projectId), eq(table.reportId, reportId));
  await removeThreads(tx, tx.select({ id: threads.id }).from(threads).where(ofReport(threads)));
  await removeShares(tx, tx.select({ id: shares.id }).from(shares).where(ofReport(shares)));
  await tx
    .delete(annotations)
    .where(and(eq(annotations.projectId, projectId), eq(annotations.scope, reportId)));
  for (const table of [publicLinks, reportRunFailures, reportRunCohorts, reportRuns])
    await tx.delete(table).where(and(eq(table.projectId, projectId), eq(table.reportId, reportId)));
}

async function removeWaiting(tx: Tx, { companyId, sub }: { companyId: string; sub: string }): Promise<void> {
  const ofCompany = tx.select({ id: shares.id }).from(shares).where(eq(shares.companyId, companyId));
  const removed = await tx
    .delete(deliveries)
    .where(
      and(
        eq(deliveries.recipientSub, sub),
        eq(deliveries.state, 'waiting'),
        inArray(deliveries.shareId, ofCompany),
      ),
    )
    .returning({ id: deliveries.id });
  await removeJobs(
    tx,
    removed.map(({ id }) => id),
  );
}

/** Removes threads with their comments and reactions. Locked first, for none to be added meanwhile. */
export async function removeThreads(tx: Tx, ids: SQLWrapper): Promise<void> {
  const locked = await tx
    .select({ id: threads.id })
    .from(threads)
    .where(inArray(threads.id, ids))
    .orderBy(threads.id)
    .for('update');
  if (locked.length === 0) return;
  const written = tx.select({ id: comments.id }).from(comments).where(inArray(comments.threadId, ids));
  await tx.select({ id: comments.id }).from(comments).where(inArray(comments.threadId, ids)).for('update');
  await tx.delete(reactions).where(inArray(reactions.commentId, written));
  await tx.delete(comments).where(inArray(comments.threadId, ids));
  await tx.delete(threads).where(inArray(threads.id, ids));
}

/** Removes shares with their deliveries and the jobs that would make these. */
export async function removeShares(tx: Tx, ids: SQLWrapper): Promise<void> {
  const removed = await tx
    .delete(deliveries)
    .where(inArray(deliveries.shareId, ids))
    .returning({ id: deliveries.id });
  await removeJobs(
    tx,
    removed.map(({ id }) => id),
  );
  await tx.delete(shares).where(inArray(shares.id, ids));
}

/** A job that failed keeps the mail server's answer, which may contain the address. */
export async function removeJobs(tx: Tx, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  await tx.execute(sql`
    delete from pgboss.job where data->>'id' = any(${sql.param([...deliveryIds])}::text[])`);
}
