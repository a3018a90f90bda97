import type { Clause, Combination, DidCondition } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import type { OutboxSource, Republication } from '@switchboard/outbox';
import { sql } from 'drizzle-orm';
import { cohortPeople, cohorts, publishedCohorts, unpublishedCohorts } from '../schema/index.ts';

/** The current state of a cohort that changed since it was last published. */
export interface ChangedCohort {
  projectId: string;
  id: string;
  revision: string;
  /** Null if the cohort was deleted. */
  now: {
    match: Clause[];
    distinctIds: string[];
    did?: DidCondition[];
    combine?: Combination;
  } | null;
}

export interface CohortRecordsStore extends OutboxSource<ChangedCohort> {
  /** Marks cohorts for publishing after the transaction. */
  announce(projectId: string, ids: readonly string[]): Promise<void>;
}

const NEXT_REVISION = sql`nextval(pg_get_serial_sequence('unpublished_cohorts', 'revision'))`;

interface ChangedRow extends Record<string, unknown> {
  project_id: string;
  cohort_id: string;
  revision: string;
  is_there: boolean;
  match: Clause[] | null;
  did: DidCondition[] | null;
  combine: Combination | null;
  distinct_ids: string[];
}

export function createCohortRecordsStore(tx: Db | Tx): CohortRecordsStore {
  return {
    async announce(projectId, ids) {
      await tx.execute(sql`
        insert into ${unpublishedCohorts} (project_id, cohort_id)
        select ${projectId}, id from unnest(${sql.param([...new Set(ids)])}::text[]) as changed(id) order by id
        on conflict (project_id, cohort_id) do update set revision = ${NEXT_REVISION}`);
    },

    async oldest(limit) {
      const rows = await tx.execute<ChangedRow>(sql`
        select changed.project_id, changed.cohort_id, changed.revision::text as revision,
          cohort.id is not null as is_there, cohort.match, cohort.did, cohort.combine,
          array(select distinct_id from ${cohortPeople} as listed
            where listed.project_id = changed.project_id and listed.cohort_id = changed.cohort_id
            order by 1) as distinct_ids
        from ${unpublishedCohorts} as changed left join ${cohorts} as cohort
          on cohort.project_id = changed.project_id and cohort.id = changed.cohort_id
        order by changed.revision limit ${limit}`);
      return rows.map(({ project_id: projectId, cohort_id: id, revision, ...row }) => ({
        projectId,
        id,
        revision,
        now: row.is_there
          ? {
              match: row.match ?? [],
              distinctIds: row.distinct_ids,
              ...(row.did && { did: row.did }),
              ...(row.combine && { combine: row.combine }),
            }
          : null,
      }));
    },

    async markPublished(changed) {
      const column = (values: string[]) => sql`${sql.param(values)}::text[]`;
      await tx.execute(sql`
        delete from ${unpublishedCohorts} using unnest(
          ${column(changed.map(({ projectId }) => projectId))}, ${column(changed.map(({ id }) => id))},
          ${column(changed.map(({ revision }) => revision))}::bigint[]) as sent (project_id, cohort_id, revision)
        where unpublished_cohorts.project_id = sent.project_id
          and unpublished_cohorts.cohort_id = sent.cohort_id and unpublished_cohorts.revision = sent.revision`);
    },
  };
}

export const cohortRepublication: Republication = {
  offsets: publishedCohorts,
  async publishAll(tx) {
    const rows = await tx.execute(sql`
      insert into ${unpublishedCohorts} (project_id, cohort_id) select project_id, id from ${cohorts}
      order by 1, 2 on conflict do nothing returning 1`);
    return rows.length;
  },
};
