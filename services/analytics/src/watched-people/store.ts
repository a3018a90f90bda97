import { type Db, removeAll, type Tx } from '@switchboard/database';
import { readErasedPeople } from '@switchboard/directory';
import { asc, type InferSelectModel, inArray, sql } from 'drizzle-orm';
import { unpublishedCohortChanges, watchedCohorts, watchedPeople } from '../schema/index.ts';

interface CohortKey {
  projectId: string;
  id: string;
}

/** A watched cohort that an instance compares until its claim ends. */
export interface ClaimedWatch extends CohortKey {
  claimedUntil: Date;
  /** The number of members at the last comparison. */
  members: number | null;
}

/** Some of the differences between the stored members of a cohort and those it has now. */
export interface Differences {
  /** The ids to store and to remove. */
  added: readonly string[];
  removed: readonly string[];
  /** The people who were or are members by any of their ids. */
  entered: readonly string[];
  left: readonly string[];
}

export interface Compared {
  at: Date;
  members: number;
  differences: AsyncIterable<Differences>;
}

export type WatchedPeopleStore = ReturnType<typeof createWatchedPeopleStore>;

/** Before any time. */
const AT_ONCE = sql`'epoch'::timestamptz`;
/** The people of a record. */
const PEOPLE_AT_ONCE = 500;

/** Stores which cohorts are watched, their members, and the changes to publish. */
export function createWatchedPeopleStore(db: Db) {
  const column = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;
  const timeOf = (date: Date) => sql`${date.toISOString()}::timestamptz`;
  const isCohort = ({ projectId, id }: CohortKey) => sql`project_id = ${projectId} and cohort_id = ${id}`;

  const removePeople = (which: ReturnType<typeof isCohort>, signal: AbortSignal) =>
    removeAll(db, watchedPeople, which, signal);

  /** Returns a claimed watch, locked. Undefined if it is not claimed any more. */
  async function lockClaimed(tx: Tx, watch: ClaimedWatch) {
    const [row] = await tx.execute<{ is_known: boolean }>(sql`
      select is_known from ${watchedCohorts}
      where ${isCohort(watch)} and claimed_until = ${timeOf(watch.claimedUntil)} for update`);
    return row;
  }

  /** Ends a claim. The cohort is due again at `dueAt`, or at once if it was made due since. */
  const endClaim = (tx: Tx, watch: ClaimedWatch, dueAt: Date, set: ReturnType<typeof isCohort>) =>
    tx.execute(sql`
      update ${watchedCohorts} set ${set}, claimed_until = null,
        due_at = case when due_at = claimed_until then ${timeOf(dueAt)} else due_at end
      where ${isCohort(watch)}`);

  return {
    /** Replaces the watched cohorts of a project. New ones are due at once. */
    async watch(projectId: string, cohortIds: readonly string[], signal: AbortSignal): Promise<void> {
      const others = sql`project_id = ${projectId} and cohort_id <> all(${column(cohortIds)})`;
      await db.execute(sql`delete from ${watchedCohorts} where ${others}`);
      await db.execute(sql`
        insert into ${watchedCohorts} (project_id, cohort_id, due_at)
        select ${projectId}, id, ${AT_ONCE} from unnest(${column(cohortIds)}) as named(id)
        on conflict do nothing`);
      await removePeople(others, signal);
    },

    /** Makes the members of a cohort due, if it is watched. */
    async request(cohort: CohortKey): Promise<void> {
      await db.execute(sql`update ${watchedCohorts} set due_at = ${AT_ONCE} where ${isCohort(cohort)}`);
    },

    /** Compares a cohort that was deleted, and may be created again, as if it was watched since now. */
    async forget(cohort: CohortKey): Promise<void> {
      await db.execute(sql`
        update ${watchedCohorts} set is_known = false, claimed_until = null, due_at = ${AT_ONCE}
        where ${isCohort(cohort)}`);
    },

    /** Claims the due cohorts of one project. Projects take turns, beginning after `afterProject`. */
    async claim(now: Date, until: Date, afterProject: string): Promise<ClaimedWatch[]> {
      const isDue = sql`due_at <= ${timeOf(now)} and (claimed_until is null or claimed_until <= ${timeOf(now)})`;
      const rows = await db.execute<{ project_id: string; cohort_id: string; members: number | null }>(sql`
        update ${watchedCohorts} set claimed_until = ${timeOf(until)}, due_at = ${timeOf(until)}
        where ${isDue} and project_id = (select project_id from ${watchedCohorts} where ${isDue}
          order by project_id > ${afterProject} desc, project_id limit 1)
        returning project_id, cohort_id, members`);
      return rows.map(({ project_id: projectId, cohort_id: id, members }) => ({
        projectId,
        id,
        members,
        claimedUntil: until,
      }));
    },

    /** Returns the next page of the stored members of a cohort, in order. */
    async people({ projectId, id }: CohortKey, after: string, limit: number): Promise<string[]> {
      const rows = await db
        .select({ personId: watchedPeople.personId })
        .from(watchedPeople)
        .where(sql`${isCohort({ projectId, id })} and person_id > ${after}`)
        .orderBy(asc(watchedPeople.personId))
        .limit(limit);
      return rows.map(({ personId }) => personId);
    },

    /**
     * Stores the members of a cohort together with the records of who entered and left. Of the first comparison, and of
     * people who are being erased, there are none. Does nothing if the cohort is not claimed any more.
     */
    async apply(watch: ClaimedWatch, { at, members, differences }: Compared, dueAt: Date): Promise<void> {
      const { projectId, id: cohortId } = watch;
      await db.transaction(async (tx) => {
        const row = await lockClaimed(tx, watch);
        if (row === undefined) return;
        const erased = new Set(
          (await readErasedPeople(tx)).flatMap((person) =>
            person.projectId === projectId ? person.distinctIds : [],
          ),
        );
        const others = (ids: readonly string[]) => ids.filter((one) => !erased.has(one));
        const state = { projectId, cohortId, at: at.toISOString(), members, failure: null };
        for await (const { added, removed, entered, left } of differences) {
          await tx.execute(sql`
            delete from ${watchedPeople} where ${isCohort(watch)} and person_id = any(${column(removed)})`);
          await tx.execute(sql`
            insert into ${watchedPeople} (project_id, cohort_id, person_id)
            select ${projectId}, ${cohortId}, id from unnest(${column(others(added))}) as named(id)
            on conflict do nothing`);
          if (!row.is_known) continue;
          const records = [
            ...batchesOf(others(left)).map((people) => ({ ...state, entered: [], left: people })),
            ...batchesOf(others(entered)).map((people) => ({ ...state, entered: people, left: [] })),
          ];
          for (const record of records) await tx.insert(unpublishedCohortChanges).values({ record });
        }
        await tx.insert(unpublishedCohortChanges).values({ record: { ...state, entered: [], left: [] } });
        await endClaim(tx, watch, dueAt, sql`is_known = true, members = ${members}, failure = null`);
      });
    },

    /** Ends a claim without a result. The stored members stay as they are. */
    async fail(watch: ClaimedWatch, failure: string, at: Date, dueAt: Date): Promise<void> {
      const { projectId, id: cohortId, members } = watch;
      await db.transaction(async (tx) => {
        if ((await lockClaimed(tx, watch)) === undefined) return;
        const record = {
          ...{ projectId, cohortId, at: at.toISOString(), members, failure },
          ...{ entered: [], left: [] },
        };
        await tx.insert(unpublishedCohortChanges).values({ record });
        await endClaim(tx, watch, dueAt, sql`failure = ${failure}`);
      });
    },

    /** Ends a claim, so that another instance compares the cohort at once. */
    async release(watch: ClaimedWatch): Promise<void> {
      await db.execute(sql`
        update ${watchedCohorts} set claimed_until = null, due_at = ${AT_ONCE}
        where ${isCohort(watch)} and claimed_until = ${timeOf(watch.claimedUntil)}`);
    },

    /** Returns the number of watched cohorts that could not be compared. */
    async failed(): Promise<number> {
      return db.$count(watchedCohorts, sql`failure is not null`);
    },

    /** Removes people from stored members and from waiting records. Ends claims, which may have read them before. */
    async erase(projectId: string, distinctIds: readonly string[]): Promise<void> {
      const erased = column(distinctIds);
      await db.execute(sql`
        update ${watchedCohorts} set claimed_until = null, due_at = ${AT_ONCE}
        where project_id = ${projectId} and claimed_until is not null`);
      await db.execute(sql`
        delete from ${watchedPeople} where project_id = ${projectId} and person_id = any(${erased})
          and cohort_id in (select distinct cohort_id from ${watchedCohorts} where project_id = ${projectId})`);
      await db.execute(sql`
        update ${unpublishedCohortChanges} set record = (record::jsonb || jsonb_build_object(
          'entered', (record::jsonb -> 'entered') - ${erased}, 'left', (record::jsonb -> 'left') - ${erased}))::json
        where record ->> 'projectId' = ${projectId}
          and (record::jsonb -> 'entered' ?| ${erased} or record::jsonb -> 'left' ?| ${erased})`);
    },

    async eraseProject(projectId: string, signal: AbortSignal): Promise<void> {
      await db.execute(sql`delete from ${watchedCohorts} where project_id = ${projectId}`);
      await db.execute(sql`
        delete from ${unpublishedCohortChanges} where record ->> 'projectId' = ${projectId}`);
      await removePeople(sql`project_id = ${projectId}`, signal);
    },
  };
}

function batchesOf(people: readonly string[]): string[][] {
  const count = Math.ceil(people.length / PEOPLE_AT_ONCE);
  return Array.from({ length: count }, (_, at) =>
    people.slice(at * PEOPLE_AT_ONCE, (at + 1) * PEOPLE_AT_ONCE),
  );
}

/** The records that wait to be published, as an outbox. */
export const cohortChangesOutbox = (tx: Db | Tx) => ({
  oldest: (limit: number) =>
    tx.select().from(unpublishedCohortChanges).orderBy(asc(unpublishedCohortChanges.id)).limit(limit),
  async markPublished(rows: readonly InferSelectModel<typeof unpublishedCohortChanges>[]) {
    await tx.delete(unpublishedCohortChanges).where(
      inArray(
        unpublishedCohortChanges.id,
        rows.map(({ id }) => id),
      ),
    );
  },
});
