import { type Db, type ExpiringData, removeAll, removeSome, type Tx } from '@switchboard/database';
import { eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { foldedPerson } from '../schema/folded.ts';
import { groupMembers, knownGroups, people, personIds, uncountedIds } from '../schema/index.ts';

/** Keeps who is a member of which group, and the number of members. */
export interface GroupMembersStore {
  /** Counts the groups of up to `limit` changed ids. Returns the number of ids; 0 while another process counts. */
  countChanged(limit: number): Promise<number>;
  /** Counts the groups of the persons of these ids. */
  count(projectId: string, distinctIds: readonly string[]): Promise<void>;
  removeProject(projectId: string, signal: AbortSignal): Promise<void>;
}

const changedRows = z.array(
  z.object({ revision: z.string(), project_id: z.string(), distinct_id: z.string() }),
);
const lockRow = z.tuple([z.object({ is_locked: z.boolean() })]);
const column = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;

/** One process counts at a time, because another one could count what it does not see yet. */
const LOCK = sql`hashtextextended('group members', 0)`;

export function createGroupMembersStore(db: Db): GroupMembersStore {
  return {
    async countChanged(limit) {
      // Most looks find nothing: one statement shows that, where the transaction takes four.
      if ((await db.select({ revision: uncountedIds.revision }).from(uncountedIds).limit(1)).length === 0)
        return 0;
      return db.transaction(async (tx) => {
        const [{ is_locked: isLocked }] = lockRow.parse([
          ...(await tx.execute(sql`select pg_try_advisory_xact_lock(${LOCK}) as is_locked`)),
        ]);
        if (!isLocked) return 0;
        const rows = await tx.execute(sql`
          delete from ${uncountedIds} where revision = any(array(
            select revision from ${uncountedIds} order by revision limit ${limit}))
          returning revision::text, project_id, distinct_id`);
        const changed = changedRows.parse([...rows]);
        await save(
          tx,
          changed.map((row) => [row.project_id, row.distinct_id]),
        );
        return changed.length;
      });
    },

    count: (projectId, distinctIds) =>
      db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`);
        await save(
          tx,
          distinctIds.map((id) => [projectId, id]),
        );
      }),

    async removeProject(projectId, signal) {
      // Members first: a group with members is never removed.
      for (const table of [uncountedIds, groupMembers, knownGroups])
        await removeAll(db, table, eq(table.projectId, projectId), signal);
    },
  };
}

/** Replaces the memberships of the persons of these ids, and adds the differences to the groups. */
async function save(tx: Tx, ids: readonly (readonly [projectId: string, distinctId: string])[]) {
  if (ids.length === 0) return;
  // The time of a membership is that of its newest call, as `seen` reads it. Subqueries read by keys where PostgreSQL
  // may otherwise read all rows for a join.
  await tx.execute(sql`
    with named as (
      select distinct * from unnest(${column(ids.map(([projectId]) => projectId))},
        ${column(ids.map(([, distinctId]) => distinctId))}) as named(project_id, id)
    ), persons as (
      select project_id, id from named
      union
      select named.project_id, own.person_id from named cross join lateral (
        select person_id from ${personIds} as own
        where own.project_id = named.project_id and own.distinct_id = named.id) as own
    ), wanted as materialized (
      select person.project_id, membership.key as type, membership.value as id, person.id as person_id, (
          select date_trunc('minute', to_timestamp(max(least(
            (member.group_stamps -> membership.key ->> 0)::float8,
            (member.group_stamps -> membership.key ->> 1)::float8)) / 1000))
          from ${people} as member where member.project_id = person.project_id
            and member.groups ->> membership.key = membership.value
            and member.distinct_id = any(array(select person.id union all (
              select distinct_id from ${personIds} as joined
              where joined.project_id = person.project_id and joined.person_id = person.id)))) as at
      from persons as person
        cross join lateral (${foldedPerson(sql`person.project_id`, sql`person.id`)}) as known
        cross join json_each_text(known.groups) as membership
      where not exists (select from ${personIds} as joined
        where joined.project_id = person.project_id and joined.distinct_id = person.id)
    ), gone as (
      delete from ${groupMembers} where ctid = any(array(
        select found.ctid from persons as person cross join lateral (
          select ctid, type, id from ${groupMembers} as member
          where member.project_id = person.project_id and member.person_id = person.id) as found
        where not exists (select from wanted where wanted.project_id = person.project_id
          and wanted.person_id = person.id and wanted.type = found.type and wanted.id = found.id)))
      returning project_id, type, id
    ), come as (
      insert into ${groupMembers} (project_id, type, id, person_id)
      select project_id, type, id, person_id from wanted
      on conflict do nothing returning project_id, type, id, person_id
    ), differences as (
      select project_id, type, id, sum(difference)::int as difference, min(at) as first, max(at) as last from (
        select project_id, type, id, -1 as difference, null::timestamptz as at from gone
        union all
        select project_id, type, id, 1, wanted.at from come join wanted using (project_id, type, id, person_id)
      ) as changes group by project_id, type, id
    )
    insert into ${knownGroups} as known (project_id, type, id, members, first_seen_at, last_seen_at)
    select project_id, type, id, difference, coalesce(first, now()), coalesce(last, now()) from differences
    order by project_id, type, id
    on conflict (project_id, type, id) do update set members = known.members + excluded.members`);
}

const ROWS_PER_STATEMENT = 1_000;

/** Returns the groups without members that no group call has named for `days` days. */
export function emptyGroups(db: Db, days: number | undefined): ExpiringData {
  return {
    kind: 'groups without members',
    days,
    async removeBefore(time) {
      return {
        rows: await removeSome(db, knownGroups, {
          where: sql`members = 0 and last_seen_at < ${time.toISOString()}::timestamptz`,
          limit: ROWS_PER_STATEMENT,
          orderBy: knownGroups.lastSeenAt,
          skipsLocked: true,
        }),
      };
    },
    async oldest() {
      const [row] = await db.execute<{ at: string | null }>(sql`
        select min(last_seen_at)::text as at from ${knownGroups} where members = 0`);
      return row?.at == null ? undefined : new Date(row.at);
    },
  };
}
