import type { Clause } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq, sql } from 'drizzle-orm';
import { cohortPeople, cohorts } from '../schema/index.ts';

export interface StoredCohort {
  id: string;
  name: string;
  match: Clause[] | null;
}

export interface CohortsStore {
  /** Sorted by id. */
  list(projectId: string): Promise<StoredCohort[]>;
  find(projectId: string, id: string): Promise<StoredCohort | undefined>;
  save(projectId: string, cohort: StoredCohort): Promise<void>;
  /** Returns whether the cohort existed. */
  remove(projectId: string, id: string): Promise<boolean>;
  /** The distinct ids a cohort lists, sorted by their UTF-8 bytes. */
  listPeople(projectId: string, id: string): Promise<string[]>;
  /** Makes a cohort list exactly these ids. Returns whether that changed anything. */
  replacePeople(projectId: string, id: string, distinctIds: readonly string[]): Promise<boolean>;
}

const columns = { id: cohorts.id, name: cohorts.name, match: cohorts.match };

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

    async save(projectId, { id, ...content }) {
      await db
        .insert(cohorts)
        .values({ projectId, id, ...content })
        .onConflictDoUpdate({ target: [cohorts.projectId, cohorts.id], set: content });
    },

    async remove(projectId, id) {
      const removed = await db.delete(cohorts).where(isCohort(projectId, id)).returning({ id: cohorts.id });
      return removed.length > 0;
    },

    async listPeople(projectId, id) {
      const rows = await db
        .select({ distinctId: cohortPeople.distinctId })
        .from(cohortPeople)
        .where(isListed(projectId, id))
        .orderBy(asc(sql`${cohortPeople.distinctId} collate "C"`));
      return rows.map(({ distinctId }) => distinctId);
    },

    async replacePeople(projectId, id, distinctIds) {
      const listed = sql`${sql.param(distinctIds)}::text[]`;
      const removed = await db
        .delete(cohortPeople)
        .where(and(isListed(projectId, id), sql`${cohortPeople.distinctId} <> all(${listed})`))
        .returning({ distinctId: cohortPeople.distinctId });
      const added = await db.execute(sql`
        insert into ${cohortPeople} (project_id, distinct_id, cohort_id)
        select ${projectId}, distinct_id, ${id} from unnest(${listed}) as listed(distinct_id)
        on conflict do nothing returning 1`);
      return removed.length + added.length > 0;
    },
  };
}
