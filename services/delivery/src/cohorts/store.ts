import type { CohortChanges } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import type { OutboxSource, Republication } from '@switchboard/outbox';
import { eq, type InferSelectModel, sql } from 'drizzle-orm';
import { cohortStates, publishedWatches, unpublishedWatches, webhooks } from '../schema/index.ts';

export type CohortState = InferSelectModel<typeof cohortStates>;

/** The cohorts that the webhooks of a project watch, which changed since they were last published. */
export interface ChangedWatches {
  projectId: string;
  revision: bigint;
  cohortIds: string[];
}

export type CohortsStore = ReturnType<typeof createCohortsStore>;

/** Stores the states of watched cohorts. */
export function createCohortsStore(db: Db | Tx) {
  return {
    states: (projectId: string): Promise<CohortState[]> =>
      db.select().from(cohortStates).where(eq(cohortStates.projectId, projectId)),

    /** Stores the state of a cohort, unless no webhook watches it any more. */
    async save({ projectId, cohortId, at, members, failure }: CohortChanges): Promise<void> {
      const comparedAt = failure === null ? sql`${at}::timestamptz` : sql`null`;
      await db.execute(sql`
        insert into ${cohortStates} as known (project_id, cohort_id, members, failure, compared_at)
        select ${projectId}, id, ${members}::integer, ${failure}::text, ${comparedAt}
        from (select ${cohortId}::text as id) as cohort
        where exists (select from ${webhooks} where project_id = ${projectId} and ${cohortId} = any(cohorts))
        on conflict (project_id, cohort_id) do update set members = excluded.members, failure = excluded.failure,
          compared_at = coalesce(excluded.compared_at, known.compared_at)`);
    },
  };
}

/** The projects with changes that wait to be published, as an outbox. */
export const watchesOutbox = (tx: Db | Tx): OutboxSource<ChangedWatches> => ({
  async oldest(limit) {
    const rows = await tx.execute<{ project_id: string; revision: string; cohort_ids: string[] }>(sql`
      select changed.project_id, changed.revision::text, array(
        select distinct unnest(cohorts) from ${webhooks} where webhooks.project_id = changed.project_id order by 1
      ) as cohort_ids
      from ${unpublishedWatches} as changed order by changed.revision limit ${limit}`);
    return rows.map((row) => ({
      projectId: row.project_id,
      revision: BigInt(row.revision),
      cohortIds: row.cohort_ids,
    }));
  },
  async markPublished(changed) {
    for (const { projectId, revision } of changed)
      await tx.execute(sql`
        delete from ${unpublishedWatches} where project_id = ${projectId} and revision = ${String(revision)}::bigint`);
  },
});

/** Publishes the watched cohorts of every project again to a topic that lost records. */
export const watchesRepublication: Republication = {
  offsets: publishedWatches,
  async publishAll(tx) {
    const rows = await tx.execute(sql`
      insert into ${unpublishedWatches} (project_id)
      select distinct project_id from ${webhooks} where cardinality(cohorts) > 0 order by 1
      on conflict do nothing returning 1`);
    return rows.length;
  },
};
