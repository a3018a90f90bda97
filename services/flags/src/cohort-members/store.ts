import type { CohortList } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { cohortMembers, cohorts } from '../schema/index.ts';

interface CohortKey {
  projectId: string;
  id: string;
}

export interface CohortMembersStore {
  /** Replaces the members with a prefix of their MD5. Does nothing for a cohort without `did`. */
  replacePart(cohort: CohortKey, prefix: string, members: readonly string[]): Promise<void>;
  /** Stores the state of a list. Does nothing for a cohort without `did`. */
  saveList(cohort: CohortKey, list: CohortList): Promise<void>;
}

export function createCohortMembersStore(db: Db): CohortMembersStore {
  return {
    async replacePart({ projectId, id }, prefix, members) {
      const listed = sql`json_array_elements_text(${JSON.stringify(members)}::json) as listed (distinct_id)`;
      const isPart = sql`project_id = ${projectId} and cohort_id = ${id}
        and left(md5(distinct_id), 4) collate "C" >= ${prefix} and left(md5(distinct_id), 4) collate "C" < ${`${prefix}g`}`;
      await db.transaction(async (tx) => {
        await tx.execute(sql`
          delete from ${cohortMembers} where ${isPart} and distinct_id not in (select distinct_id from ${listed})`);
        await tx.execute(sql`
          insert into ${cohortMembers} (project_id, distinct_id, cohort_id)
          select distinct ${projectId}, distinct_id, ${id} from ${listed}
          where distinct_id not in (select distinct_id from ${cohortMembers} where ${isPart}) and exists (
            select from ${cohorts} where project_id = ${projectId} and id = ${id} and did is not null)
          on conflict do nothing`);
      });
    },

    async saveList({ projectId, id }, list) {
      await db
        .update(cohorts)
        .set({ list })
        .where(and(eq(cohorts.projectId, projectId), eq(cohorts.id, id), isNotNull(cohorts.did)));
    },
  };
}
