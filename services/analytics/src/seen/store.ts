import { type Db, type ExpiringData, removeAll } from '@switchboard/database';
import { desc, eq, type SQL, sql } from 'drizzle-orm';
import { knownGroups, seenPeople } from '../schema/index.ts';

/** The times at which a distinct id was seen first and last, in milliseconds since 1970. */
export interface Seen {
  projectId: string;
  distinctId: string;
  firstAt: number;
  lastAt: number;
}

/** The times of the first and the last group call that names a group. */
export interface SeenGroup extends Omit<Seen, 'distinctId'> {
  type: string;
  id: string;
}

export interface SeenStore {
  /** Extends the times of each id. Repetition and order do not affect the result. */
  add(seen: readonly Seen[]): Promise<void>;
  /** Extends the times of each group. */
  addGroups(seen: readonly SeenGroup[]): Promise<void>;
  /** Returns when an id of the project was last seen. */
  lastOf(projectId: string): Promise<Date | undefined>;
  remove(projectId: string, distinctIds: readonly string[]): Promise<void>;
  removeProject(projectId: string, signal: AbortSignal): Promise<void>;
}

export function createSeenStore(db: Db): SeenStore {
  const texts = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;
  const times = (values: readonly number[]) =>
    sql`${sql.param(values.map((value) => new Date(value).toISOString()))}::text[]::timestamptz[]`;

  return {
    async add(seen) {
      // Most ids were seen in this minute before, and a conflict would lock their rows. Sorted, so that two writers
      // cannot deadlock.
      await db.execute(sql`
        insert into ${seenPeople} as known (project_id, distinct_id, first_seen_at, last_seen_at)
        select * from unnest(
          ${texts(seen.map(({ projectId }) => projectId))}, ${texts(seen.map(({ distinctId }) => distinctId))},
          ${times(seen.map(({ firstAt }) => firstAt))}, ${times(seen.map(({ lastAt }) => lastAt))}
        ) as sent(project_id, distinct_id, first_at, last_at)
        where not exists (select from ${seenPeople} as same
          where same.project_id = sent.project_id and same.distinct_id = sent.distinct_id
            and same.first_seen_at <= sent.first_at and same.last_seen_at >= sent.last_at)
        order by 1, 2
        on conflict (project_id, distinct_id) do update set
          first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
          last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)`);
    },

    async addGroups(seen) {
      await db.execute(sql`
        insert into ${knownGroups} as known (project_id, type, id, first_seen_at, last_seen_at)
        select * from unnest(
          ${texts(seen.map(({ projectId }) => projectId))}, ${texts(seen.map(({ type }) => type))},
          ${texts(seen.map(({ id }) => id))},
          ${times(seen.map(({ firstAt }) => firstAt))}, ${times(seen.map(({ lastAt }) => lastAt))}
        ) as sent(project_id, type, id, first_at, last_at)
        where not exists (select from ${knownGroups} as same
          where same.project_id = sent.project_id and same.type = sent.type and same.id = sent.id
            and same.first_seen_at <= sent.first_at and same.last_seen_at >= sent.last_at)
        order by 1, 2, 3
        on conflict (project_id, type, id) do update set
          first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
          last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)`);
    },

    async lastOf(projectId) {
      const [row] = await db
        .select({ at: seenPeople.lastSeenAt })
        .from(seenPeople)
        .where(eq(seenPeople.projectId, projectId))
        .orderBy(desc(seenPeople.lastSeenAt))
        .limit(1);
      return row?.at;
    },

    async remove(projectId, distinctIds) {
      await db.execute(sql`
        delete from ${seenPeople} where project_id = ${projectId}
          and distinct_id = any(${sql.param([...distinctIds])}::text[])`);
    },

    removeProject: (projectId, signal) =>
      removeAll(db, seenPeople, eq(seenPeople.projectId, projectId), signal),
  };
}

/** Finds the first row of each project in the index by last seen, instead of reading all rows. */
const projects: SQL = sql`
  with recursive projects as (
    (select project_id from ${seenPeople} order by project_id limit 1)
    union all
    select (select project_id from ${seenPeople} where project_id > projects.project_id order by project_id limit 1)
    from projects where projects.project_id is not null)`;
const ROWS_PER_STATEMENT = 1_000;

/** Returns the ids without an event or call for `days` days. */
export function unseenIds(db: Db, days: number | undefined): ExpiringData {
  return {
    kind: 'ids of people',
    days,
    async removeBefore(time) {
      const { count } = await db.execute(sql`${projects}
        delete from ${seenPeople} where ctid = any(array(
          select found.ctid from projects, lateral (
            select ctid from ${seenPeople} as seen where seen.project_id = projects.project_id
              and last_seen_at < ${time.toISOString()}::timestamptz order by last_seen_at
              limit ${ROWS_PER_STATEMENT}) as found
          limit ${ROWS_PER_STATEMENT}))`);
      return { rows: count };
    },
    async oldest() {
      const [row] = await db.execute<{ at: string | null }>(sql`${projects}
        select min((select min(last_seen_at) from ${seenPeople} as seen
          where seen.project_id = projects.project_id))::text as at from projects`);
      return row?.at == null ? undefined : new Date(row.at);
    },
  };
}
