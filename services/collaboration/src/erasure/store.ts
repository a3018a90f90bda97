import type { Db } from '@switchboard/database';
import { and, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import {
  annotations,
  comments,
  dashboards,
  deliveries,
  droppedEndpoints,
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

/** Replaces the sub of an erased colleague. No member has this sub, because no identity provider issues it. */
const ERASED_SUB = 'erased';

export interface ErasureStore {
  /**
   * Removes recorded runs that have one of these texts as a value in the report or cohort. Property names are
   * ignored.
   */
  removeRunsNaming(projectId: string, texts: readonly string[]): Promise<void>;
  /**
   * Deletes a colleague's comments, reactions, annotations and shares, and the messages sent to them. Threads and
   * deleted comments stay in place without a name, and dashboards and subscriptions without an owner.
   */
  removeColleague(sub: string, deletedAt: Date): Promise<void>;
}

export function createErasureStore(db: Db): ErasureStore {
  return {
    async removeRunsNaming(projectId, texts) {
      const strings = sql`${sql.param(texts.map((text) => JSON.stringify(text)))}::text[]`;
      await db.delete(reportRunFailures).where(
        and(
          eq(reportRunFailures.projectId, projectId),
          sql`exists (
            select 1 from unnest(${sql.param([...texts])}::text[]) as texts(named)
            where position(named in ${reportRunFailures.message}) > 0
          )`,
        ),
      );
      await db.delete(reportRunHistory).where(
        and(
          eq(reportRunHistory.projectId, projectId),
          sql`exists (
            select 1 from unnest(${strings}, ${sql.param([...texts])}::text[]) as named(string, text)
            where position(named.string in replace(${reportRunHistory.report}, named.string || ':', '')) > 0
              or position(named.text in ${reportRunHistory.message}) > 0
          )`,
        ),
      );
      await db.transaction(async (tx) => {
        const named = await tx.execute<{ report_id: string }>(sql`
          select report_id from ${reportRuns} as runs
          left join ${reportRunCohorts} as cohorts using (project_id, report_id)
          where project_id = ${projectId} and exists (
            select 1 from unnest(${strings}) as strings(named)
            where position(named in replace(runs.report, named || ':', '')) > 0
              or position(named in replace(cohorts.cohort, named || ':', '')) > 0
          )`);
        const reportIds = named.map((row) => row.report_id);
        if (reportIds.length === 0) return;
        for (const table of [reportRunCohorts, reportRuns]) {
          await tx
            .delete(table)
            .where(and(eq(table.projectId, projectId), inArray(table.reportId, reportIds)));
        }
      });
    },

    async removeColleague(sub, deletedAt) {
      await db.transaction(async (tx) => {
        const written = tx.select({ id: comments.id }).from(comments).where(eq(comments.authorSub, sub));
        await tx.delete(reactions).where(or(eq(reactions.sub, sub), inArray(reactions.commentId, written)));
        await tx
          .update(comments)
          .set({ mentions: sql`array_remove(${comments.mentions}, ${sub})` })
          .where(sql`${sub} = any(${comments.mentions})`);
        await tx
          .update(comments)
          .set({
            body: null,
            mentions: [],
            deletedAt: sql`coalesce(${comments.deletedAt}, ${deletedAt.toISOString()}::timestamptz)`,
            authorSub: ERASED_SUB,
          })
          .where(eq(comments.authorSub, sub));
        await tx.update(threads).set({ createdBySub: ERASED_SUB }).where(eq(threads.createdBySub, sub));
        await tx.update(threads).set({ resolvedBySub: ERASED_SUB }).where(eq(threads.resolvedBySub, sub));
        await tx.delete(threadReads).where(eq(threadReads.sub, sub));
        await tx.delete(annotations).where(eq(annotations.createdBySub, sub));
        await tx.update(dashboards).set({ ownerSub: null }).where(eq(dashboards.ownerSub, sub));
        await removeMails(tx, eq(subscriptionMails.sub, sub));
        await tx.delete(subscribers).where(eq(subscribers.sub, sub));
        await tx.update(subscriptions).set({ createdBySub: null }).where(eq(subscriptions.createdBySub, sub));

        const sent = tx.select({ id: shares.id }).from(shares).where(eq(shares.senderSub, sub));
        const endpoints = await tx
          .select({ endpoint: deliveries.endpoint })
          .from(deliveries)
          .where(and(eq(deliveries.recipientSub, sub), isNotNull(deliveries.endpoint)));
        const removed = await tx
          .delete(deliveries)
          .where(or(eq(deliveries.recipientSub, sub), inArray(deliveries.shareId, sent)))
          .returning({ id: deliveries.id, shareId: deliveries.shareId });
        const shareIds = sql`${sql.param([...new Set(removed.map(({ shareId }) => shareId))])}::text[]`;
        await tx.delete(shares).where(
          or(
            eq(shares.senderSub, sub),
            sql`${shares.id} = any(${shareIds}) and not exists (
                select 1 from ${deliveries} where ${deliveries.shareId} = ${shares.id})`,
          ),
        );
        const gone = sql`${sql.param(endpoints.map(({ endpoint }) => endpoint))}::text[]`;
        await tx.delete(droppedEndpoints).where(sql`${droppedEndpoints.endpoint} = any(${gone})`);
        await removeJobs(tx, removed);
      });
    },
  };
}
