import { type Database, type ExpiringData, removeSome } from '@switchboard/database';
import { sql } from 'drizzle-orm';
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
      return {
        rows: await removeSome(db, table, {
          where: sql`seen_on < ${time.toISOString()}::timestamptz::date`,
          limit: ROWS_PER_STATEMENT,
          orderBy: table.seenOn,
          skipsLocked: true,
        }),
      };
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
