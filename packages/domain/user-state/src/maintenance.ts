import type { Backfill, BackfillBatch, Database, ExpiringData, Tx } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import { groups, people } from './schema.ts';

const ROWS_PER_STATEMENT = 1_000;
const TABLES = [
  { kind: 'people', table: people },
  { kind: 'groups of people', table: groups },
] as const;

/**
 * Returns the people and groups that no identify or group call has named for `days` days. With `joinsIds`, it leaves the
 * ids of persons with several ids to `unseenPersons`.
 */
export function unseenPeople(
  { drizzle: db }: Pick<Database, 'drizzle'>,
  days: number | undefined,
  { joinsIds = false }: { joinsIds?: boolean } = {},
): ExpiringData[] {
  return TABLES.map(({ kind, table }) => ({
    kind,
    days,
    async removeBefore(time) {
      if (joinsIds && table === people) return { rows: await removeSinglePeople(db, time) };
      const { count } = await db.execute(sql`
        delete from ${table} where ctid = any(array(
          select ctid from ${table} where seen_on < ${time.toISOString()}::timestamptz::date
          order by seen_on limit ${ROWS_PER_STATEMENT} for update skip locked))`);
      return { rows: count };
    },
    async oldest() {
      const [row] = await db.execute<{ day: string | null }>(sql`
        select min(seen_on)::text as day from ${table} where seen_on is not null`);
      return row?.day == null ? undefined : new Date(row.day);
    },
  }));
}

async function removeSinglePeople(db: Database['drizzle'], time: Date): Promise<number> {
  const rows = await db.execute(sql`
    with gone as (
      delete from ${people} where ctid = any(array(
        select ctid from ${people} where seen_on < ${time.toISOString()}::timestamptz::date and not exists (
          select from identities where identities.project_id = people.project_id
            and identities.distinct_id = people.distinct_id and identities.person_id is not null)
        order by seen_on limit ${ROWS_PER_STATEMENT} for update skip locked))
      returning project_id, distinct_id
    ), facts as (
      delete from identities using gone where identities.project_id = gone.project_id
        and identities.distinct_id = gone.distinct_id and identities.person_id is null
    )
    select 1 from gone`);
  return rows.length;
}

/** The backfills that fill `seen_on` of rows older than the column, from the stamps of their properties. */
export const SEEN_BACKFILLS: readonly Backfill[] = [
  {
    name: 'people seen_on',
    batch: fillSeen(people, ['project_id', 'distinct_id'], ['trait_stamps', 'group_stamps']),
  },
  { name: 'groups seen_on', batch: fillSeen(groups, ['project_id', 'type', 'id'], ['trait_stamps']) },
];

/** Locks rows in the order of their keys, as every other writer does. */
function fillSeen(
  table: typeof people | typeof groups,
  keyColumns: readonly string[],
  stampColumns: readonly string[],
): BackfillBatch {
  const columns = (of = '') => sql.raw(keyColumns.map((name) => `${of}${name}`).join(', '));
  const stamps = sql.raw(
    stampColumns.map((name) => `select value from json_each(found.${name})`).join(' union all '),
  );
  return async (tx: Tx, after, limit) => {
    const follows: SQL =
      after === undefined
        ? sql`true`
        : sql`(${columns()}) > (${sql.join(
            after.map((part) => sql`${part}::text`),
            sql`, `,
          )})`;
    const rows = await tx.execute<Record<string, string>>(sql`
      with found as (
        select * from ${table} where ${follows} order by ${columns()} limit ${limit} for update
      ), filled as (
        update ${table} as changed set seen_on = coalesce(
          (select (to_timestamp(max((value->>1)::float8) / 1000) at time zone 'utc')::date from (${stamps}) as stamps),
          (now() at time zone 'utc')::date)
        from found where (${columns('changed.')}) = (${columns('found.')}) and changed.seen_on is null
      )
      select ${columns()} from found order by ${columns()}`);
    const last = rows.at(-1);
    return { rows: rows.length, last: last && keyColumns.map((name) => last[name] ?? '') };
  };
}
