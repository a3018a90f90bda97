import { hash } from 'node:crypto';
import type { CohortList, Combination, DidCondition } from '@switchboard/contracts';
import type { Db, Transactor, Tx } from '@switchboard/database';
import type { OutboxSource, Republication } from '@switchboard/outbox';
import { sql } from 'drizzle-orm';
import {
  cohortLists,
  cohortParts,
  publishedCohortParts,
  seenPeople,
  unpublishedCohortParts,
  watchedCohorts,
} from '../schema/index.ts';

export interface CohortKey {
  projectId: string;
  id: string;
}

/** The conditions of a cohort on what people did. */
export interface CohortConditions {
  did: DidCondition[];
  combine: Combination;
}

/** A cohort that an instance computes until its claim ends. */
export interface ClaimedCohort extends CohortKey, CohortConditions {
  list: CohortList;
}

/** The members with a prefix. `members` is a JSON list. */
export interface Part {
  prefix: string;
  members: string;
  digest: string;
}

/** A part of a list, or the state of a list, that changed since it was last published. */
export interface ChangedPart {
  projectId: string;
  cohortId: string;
  /** Undefined for the state of the list. */
  prefix: string | undefined;
  revision: string;
  /** JSON. Null if it was removed. */
  value: string | null;
}

export interface CohortMembersStore extends OutboxSource<ChangedPart> {
  /** Saves the conditions of a cohort. New conditions are due at once. Without any, removes the list. */
  define(cohort: CohortKey, conditions: CohortConditions | undefined): Promise<void>;
  /** Makes a list due. Returns false for a cohort without conditions. */
  request(cohort: CohortKey, within: Transactor): Promise<boolean>;
  /** Claims the due lists of one project. Projects take turns, beginning after `afterProject`. */
  claim(now: Date, until: Date, afterProject: string): Promise<ClaimedCohort[]>;
  /** Returns the digests of a list by prefix. */
  digests(cohort: CohortKey): Promise<Map<string, string>>;
  /** Saves a computed list and ends its claim. Does nothing if the conditions have changed. */
  save(cohort: ClaimedCohort, change: { changed: readonly Part[]; gone: readonly string[] }): Promise<void>;
  /**
   * Ends a claim. The list is due again at `dueAt`, or at once if it was requested since. If the cohort is watched, its
   * members are due.
   */
  finish(cohort: ClaimedCohort, list: CohortList, dueAt: Date): Promise<void>;
  /** Returns the next page of ids of a project with any event or identify call. */
  knownIds(projectId: string, after: string, limit: number): Promise<string[]>;
  /** Returns the members of a list, part by part. */
  members(
    cohort: CohortKey,
    afterPrefix: string | undefined,
  ): Promise<{ prefix: string; people: string[] } | undefined>;
  /** Returns the ids of the cohorts with a person in their list. */
  cohortsOf(projectId: string, person: string): Promise<string[]>;
  /**
   * Removes people from lists. These are not computed at once, because the archive may still have the events of the
   * people.
   */
  erase(projectId: string, distinctIds: readonly string[]): Promise<void>;
  eraseProject(projectId: string): Promise<void>;
}

const NEXT_REVISION = sql`nextval(pg_get_serial_sequence('unpublished_cohort_parts', 'revision'))`;
/** In place of a prefix: the state of a list. */
const STATE = '*';
/** Before any time. */
const AT_ONCE = sql`'epoch'::timestamptz`;
const NOT_COMPUTED: CohortList = { computedAt: null, size: 0 };

export function createCohortMembersStore(db: Db | Tx): CohortMembersStore {
  const column = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;

  async function announce(
    tx: Db | Tx,
    { projectId, id }: CohortKey,
    prefixes: readonly string[],
  ): Promise<void> {
    if (prefixes.length === 0) return;
    await tx.execute(sql`
      insert into ${unpublishedCohortParts} (project_id, cohort_id, prefix)
      select ${projectId}, ${id}, prefix from unnest(${column(prefixes)}) as changed (prefix) order by prefix
      on conflict (project_id, cohort_id, prefix) do update set revision = ${NEXT_REVISION}`);
  }

  const isCohort = ({ projectId, id }: CohortKey) => sql`project_id = ${projectId} and cohort_id = ${id}`;

  /** Removes lists and publishes that they are gone. */
  async function remove(which: ReturnType<typeof isCohort>): Promise<void> {
    await db.execute(sql`
      with parts as (delete from ${cohortParts} where ${which} returning project_id, cohort_id, prefix),
      lists as (delete from ${cohortLists} where ${which} returning project_id, cohort_id, ${STATE} as prefix)
      insert into ${unpublishedCohortParts} (project_id, cohort_id, prefix)
      select * from parts union all select * from lists order by 1, 2, 3
      on conflict (project_id, cohort_id, prefix) do update set revision = ${NEXT_REVISION}`);
  }

  return {
    async define(cohort, conditions) {
      if (conditions === undefined) return remove(isCohort(cohort));
      const { did, combine } = conditions;
      await db.transaction(async (tx) => {
        await tx.execute(sql`
          insert into ${cohortLists} as known (project_id, cohort_id, did, combine, list, due_at)
          values (${cohort.projectId}, ${cohort.id}, ${JSON.stringify(did)}::jsonb, ${combine},
            ${JSON.stringify(NOT_COMPUTED)}::json, ${AT_ONCE})
          on conflict (project_id, cohort_id) do update
            set did = excluded.did, combine = excluded.combine, due_at = excluded.due_at, claimed_until = null
            where known.did <> excluded.did or known.combine <> excluded.combine`);
      });
    },

    async request(cohort, within) {
      return within.transaction(async (tx) => {
        const { count } = await tx.execute(sql`
          update ${cohortLists} set due_at = ${AT_ONCE} where ${isCohort(cohort)}`);
        return count > 0;
      });
    },

    async claim(now, until, afterProject) {
      const isDue = sql`due_at <= ${now.toISOString()}::timestamptz
        and (claimed_until is null or claimed_until <= ${now.toISOString()}::timestamptz)`;
      const rows = await db.execute<{
        project_id: string;
        cohort_id: string;
        did: DidCondition[];
        combine: Combination;
        list: CohortList;
      }>(sql`
        update ${cohortLists} set claimed_until = ${until.toISOString()}, due_at = ${until.toISOString()}
        where ${isDue} and project_id = (select project_id from ${cohortLists} where ${isDue}
          order by project_id > ${afterProject} desc, project_id limit 1)
        returning project_id, cohort_id, did, combine, list`);
      return rows.map(({ project_id: projectId, cohort_id: id, did, combine, list }) => ({
        projectId,
        id,
        did,
        combine,
        list,
      }));
    },

    async digests(cohort) {
      const rows = await db.execute<{ prefix: string; digest: string }>(sql`
        select prefix, digest from ${cohortParts} where ${isCohort(cohort)}`);
      return new Map(rows.map(({ prefix, digest }) => [prefix, digest]));
    },

    async save(cohort, { changed, gone }) {
      await db.transaction(async (tx) => {
        const [current] = await tx.execute(sql`
          select 1 from ${cohortLists} where ${isCohort(cohort)} and combine = ${cohort.combine}
            and did = ${JSON.stringify(cohort.did)}::jsonb for update`);
        if (current === undefined) return;
        for (const { prefix, members, digest } of changed)
          await tx.execute(sql`
            insert into ${cohortParts} (project_id, cohort_id, prefix, members, digest)
            values (${cohort.projectId}, ${cohort.id}, ${prefix}, ${members}::text::jsonb, ${digest})
            on conflict (project_id, cohort_id, prefix) do update
              set members = excluded.members, digest = excluded.digest`);
        if (gone.length > 0)
          await tx.execute(sql`
            delete from ${cohortParts} where ${isCohort(cohort)} and prefix = any(${column(gone)})`);
        // A smaller prefix comes first: records replace ranges.
        await announce(tx, cohort, [...gone, ...changed.map(({ prefix }) => prefix)]);
      });
    },

    async finish(cohort, list, dueAt) {
      await db.transaction(async (tx) => {
        const { count } = await tx.execute(sql`
          update ${cohortLists} set list = ${JSON.stringify(list)}::json, claimed_until = null,
            due_at = case when due_at = claimed_until then ${dueAt.toISOString()}::timestamptz else due_at end
          where ${isCohort(cohort)} and combine = ${cohort.combine} and did = ${JSON.stringify(cohort.did)}::jsonb`);
        if (count === 0) return;
        await announce(tx, cohort, [STATE]);
        await tx.execute(sql`update ${watchedCohorts} set due_at = ${AT_ONCE} where ${isCohort(cohort)}`);
      });
    },

    async knownIds(projectId, after, limit) {
      // The index has this order, whatever the collation of the database.
      const rows = await db.execute<{ distinct_id: string }>(sql`
        select distinct_id from ${seenPeople} where project_id = ${projectId} and distinct_id ~>~ ${after}
        order by distinct_id using ~<~ limit ${limit}`);
      return rows.map(({ distinct_id: id }) => id);
    },

    async members(cohort, afterPrefix) {
      const [row] = await db.execute<{ prefix: string; members: string[] }>(sql`
        select prefix, members from ${cohortParts} where ${isCohort(cohort)}
          ${afterPrefix === undefined ? sql`` : sql`and prefix > ${afterPrefix}`}
        order by prefix limit 1`);
      return row && { prefix: row.prefix, people: row.members };
    },

    async cohortsOf(projectId, person) {
      const rows = await db.execute<{ cohort_id: string }>(sql`
        select cohort_id from ${cohortParts} where project_id = ${projectId}
          and prefix = any(${column(prefixesOf(person))}) and members ? ${person}`);
      return rows.map(({ cohort_id: id }) => id);
    },

    async erase(projectId, distinctIds) {
      const erased = column(distinctIds);
      await db.execute(sql`
        with changed as (
          update ${cohortParts} set members = members - ${erased}, digest = ''
          where project_id = ${projectId} and members ?| ${erased}
            and prefix = any(${column(distinctIds.flatMap(prefixesOf))})
          returning project_id, cohort_id, prefix)
        insert into ${unpublishedCohortParts} (project_id, cohort_id, prefix)
        select * from changed order by 1, 2, 3
        on conflict (project_id, cohort_id, prefix) do update set revision = ${NEXT_REVISION}`);
    },

    eraseProject: (projectId) => remove(sql`project_id = ${projectId}`),

    async oldest(limit) {
      const rows = await db.execute<{
        project_id: string;
        cohort_id: string;
        prefix: string;
        revision: string;
        value: string | null;
      }>(sql`
        select changed.project_id, changed.cohort_id, changed.prefix, changed.revision::text as revision,
          case when changed.prefix = ${STATE} then list.list::text else part.members::text end as value
        from ${unpublishedCohortParts} as changed
          left join ${cohortLists} as list on changed.prefix = ${STATE}
            and list.project_id = changed.project_id and list.cohort_id = changed.cohort_id
          left join ${cohortParts} as part on part.project_id = changed.project_id
            and part.cohort_id = changed.cohort_id and part.prefix = changed.prefix
        order by changed.revision limit ${limit}`);
      return rows.map(({ project_id: projectId, cohort_id: cohortId, prefix, revision, value }) => {
        const isState = prefix === STATE;
        return {
          projectId,
          cohortId,
          prefix: isState ? undefined : prefix,
          revision,
          value: isState || value === null ? value : `{"members":${value}}`,
        };
      });
    },

    async markPublished(changed) {
      await db.execute(sql`
        delete from ${unpublishedCohortParts} as waiting using unnest(
          ${column(changed.map(({ projectId }) => projectId))}, ${column(changed.map(({ cohortId }) => cohortId))},
          ${column(changed.map(({ prefix = STATE }) => prefix))},
          ${column(changed.map(({ revision }) => revision))}::bigint[]) as sent (project_id, cohort_id, prefix, revision)
        where waiting.project_id = sent.project_id and waiting.cohort_id = sent.cohort_id
          and waiting.prefix = sent.prefix and waiting.revision = sent.revision`);
    },
  };
}

/** Publishes every list again to a topic that lost records. */
export const cohortMembersRepublication: Republication = {
  offsets: publishedCohortParts,
  async publishAll(tx) {
    const rows = await tx.execute(sql`
      insert into ${unpublishedCohortParts} (project_id, cohort_id, prefix)
      select project_id, cohort_id, prefix from ${cohortParts}
      union all select project_id, cohort_id, ${STATE} from ${cohortLists}
      order by 1, 2, 3 on conflict do nothing returning 1`);
    return rows.length;
  },
};

/** Returns the prefixes of the parts that may contain a person. */
function prefixesOf(distinctId: string): string[] {
  const digest = hash('md5', distinctId, 'hex');
  return [0, 1, 2, 3].map((length) => digest.slice(0, length));
}
