import type { Clause, CohortList, Combination, DidCondition } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq, sql } from 'drizzle-orm';
import { cohortMembers, cohortPeople, cohorts } from '../schema/index.ts';

export interface StoredCohort {
  id: string;
  name: string;
  match: Clause[] | null;
  did: DidCondition[] | null;
  combine: Combination | null;
}

export interface ListedCohort extends StoredCohort {
  /** The state of the list of people who fulfill `did`. Null before the first. */
  list: CohortList | null;
}

export interface CohortsStore {
  /** Returns the cohorts, sorted by id. */
  list(projectId: string): Promise<ListedCohort[]>;
  find(projectId: string, id: string): Promise<ListedCohort | undefined>;
  count(projectId: string): Promise<number>;
  save(projectId: string, cohort: StoredCohort): Promise<void>;
  /** Returns whether the cohort existed. */
  remove(projectId: string, id: string): Promise<boolean>;
  /** Returns the distinct ids that a cohort lists, sorted by their UTF-8 bytes. */
  listPeople(projectId: string, id: string): Promise<string[]>;
  /** Replaces the distinct ids that a cohort lists. Returns whether the list changed. */
  replacePeople(projectId: string, id: string, distinctIds: readonly string[]): Promise<boolean>;
  /** Removes the computed list of a cohort. */
  removeList(projectId: string, id: string): Promise<void>;
}

const columns = {
  id: cohorts.id,
  name: cohorts.name,
  match: cohorts.match,
  did: cohorts.did,
  combine: cohorts.combine,
  list: cohorts.list,
};

export function createCohortsStore(db: Db | Tx): CohortsStore {
  const isCohort = (projectId: string, id: string) =>
    and(eq(cohorts.projectId, projectId), eq(cohorts.id, id));
  const isListed = (projectId: string, id: string) =>
    and(eq(cohortPeople.projectId, projectId), eq(cohortPeople.cohortId, id));

  return {
    list: (projectId) =>
      db
        .select(columns)
        .from(cohorts)
        .where(eq(cohorts.projectId, projectId))
        .orderBy(asc(sql`${cohorts.id} collate "C"`)),

    async find(projectId, id) {
      const [row] = await db.select(columns).from(cohorts).where(isCohort(projectId, id));
      return row;
    },

    count: (projectId) => db.$count(cohorts, eq(cohorts.projectId, projectId)),

    async save(projectId, { id, ...content }) {
      await db
        .insert(cohorts)
        .values({ projectId, id, ...content })
        .onConflictDoUpdate({ target: [cohorts.projectId, cohorts.id], set: content });
    },

    async remove(projectId, id) {
      await db.delete(cohortPeople).where(isListed(projectId, id));
      const removed = await db.delete(cohorts).where(isCohort(projectId, id));
      return removed.count > 0;
    },

    async listPeople(projectId, id) {
      // Returns one value, because reading thousands of rows takes longer.
      const [row] = await db
        .select({
          distinctIds: sql<string[]>`coalesce(
            json_agg(${cohortPeople.distinctId} order by ${cohortPeople.distinctId} collate "C"), '[]')`,
        })
        .from(cohortPeople)
        .where(isListed(projectId, id));
      return row?.distinctIds ?? [];
    },

    async replacePeople(projectId, id, distinctIds) {
      const listed = sql`unnest(${sql.param(distinctIds)}::text[]) as listed (distinct_id)`;
      // PostgreSQL hashes the result of a subquery. It would search an array of unknown length once per person.
      const removed = await db
        .delete(cohortPeople)
        .where(
          and(
            isListed(projectId, id),
            sql`${cohortPeople.distinctId} not in (select distinct_id from ${listed})`,
          ),
        );
      // `on conflict` would take longer for each row. It is not needed, because edits of a cohort lock the ruleset.
      const added = await db.execute(sql`
        insert into ${cohortPeople} (project_id, distinct_id, cohort_id)
        select distinct ${projectId}, distinct_id, ${id} from ${listed}
        where distinct_id not in (select distinct_id from ${cohortPeople} where ${isListed(projectId, id)})`);
      return removed.count + added.count > 0;
    },

    async removeList(projectId, id) {
      await db
        .delete(cohortMembers)
        .where(and(eq(cohortMembers.projectId, projectId), eq(cohortMembers.cohortId, id)));
      await db.update(cohorts).set({ list: null }).where(isCohort(projectId, id));
    },
  };
}
