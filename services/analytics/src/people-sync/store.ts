import type { Db } from '@switchboard/database';
import type { AppliedPosition } from '@switchboard/user-state';
import { and, eq, gte, inArray, isNotNull, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type CopiedRow, type CopiedTable, type Key, PERSON_IDS } from '../clickhouse/people-store.ts';
import { foldedPerson, peopleInOrder } from '../schema/folded.ts';
import { appliedPositions, backfills, personIds } from '../schema/index.ts';

/** Reads people and groups from PostgreSQL for copying. */
export interface PeopleSyncStore {
  /**
   * Returns the rows that exist for these keys. Their version is the start time of the transaction, in microseconds.
   */
  rows(table: CopiedTable, keys: readonly Key[]): Promise<CopiedRow[]>;
  /** Returns up to `limit` rows after a key, in key order, with the same version. */
  rowsAfter(table: CopiedTable, after: Key | undefined, limit: number): Promise<CopiedRow[]>;
  /** Returns those of the keys that have no row, with the same version. */
  missing(table: CopiedTable, keys: readonly Key[]): Promise<CopiedRow[]>;
  /** Returns the keys in `people` of the persons of ids that belong to a person with another id. */
  personsOf(ids: readonly Key[]): Promise<Key[]>;
  /** Whether the records of a partition have been applied up to a position. */
  isApplied(position: AppliedPosition): Promise<boolean>;
  /** Whether these backfills are done. */
  areDone(names: readonly string[]): Promise<boolean>;
}

const textRows = z.array(z.record(z.string(), z.string()));

export function createPeopleSyncStore(db: Pick<Db, 'execute' | 'select'>): PeopleSyncStore {
  /** Returns the rows of the keys in `named`, in their order. */
  async function find(table: CopiedTable, named: SQL): Promise<CopiedRow[]> {
    const values = sql.raw(
      table.values.map((name) => `${VALUES[name] ?? `${name}::text`} as ${name}`).join(', '),
    );
    const found = await db.execute(sql`
      select ${columnsOf(table, 'named.')}, ${values}, ${VERSION} as version
      from (${named}) as named cross join lateral (${rowOf(table)}) as one order by ${columnsOf(table, 'named.')}`);
    return textRows.parse([...found]);
  }

  return {
    rows: (table, keys) => find(table, namedBy(table, keys)),

    rowsAfter(table, after, limit) {
      const follows = (columns: SQL) =>
        after === undefined ? sql`true` : sql`(${columns}) > (${tupleOf(after)})`;
      return find(
        table,
        table.name === 'people'
          ? peopleInOrder((id) => follows(sql`project_id, ${id}`), limit)
          : sql`select ${columnsOf(table)} from ${sql.raw(table.name)} where ${follows(columnsOf(table))}
              order by ${columnsOf(table)} limit ${limit}`,
      );
    },

    async missing(table, keys) {
      const found = await db.execute(sql`
        select ${columnsOf(table)}, ${VERSION} as version
        from (${namedBy(table, keys)}) as named where not exists (${rowOf(table)})`);
      return textRows.parse([...found]);
    },

    async personsOf(ids) {
      const found = await db.execute(sql`
        select distinct project_id, person_id from ${personIds}
        where (project_id, distinct_id) in (${namedBy(PERSON_IDS, ids)})`);
      return textRows.parse([...found]).map((row) => [row['project_id'] ?? '', row['person_id'] ?? '']);
    },

    async isApplied({ topic, partition, nextOffset, asOf }) {
      const rows = await db
        .select({ topic: appliedPositions.topic })
        .from(appliedPositions)
        .where(
          and(
            eq(appliedPositions.topic, topic),
            eq(appliedPositions.partition, partition),
            gte(appliedPositions.nextOffset, nextOffset),
            // A recreated topic has different records at the same offsets.
            gte(appliedPositions.asOf, asOf),
          ),
        );
      return rows.length > 0;
    },

    async areDone(names) {
      const done = await db
        .select({ name: backfills.name })
        .from(backfills)
        .where(and(inArray(backfills.name, [...names]), isNotNull(backfills.doneAt)));
      return done.length === names.length;
    },
  };
}

/** The version of a transaction: its reads are of that time or later. */
const VERSION = sql`(extract(epoch from now()) * 1000000)::bigint::text`;

export const versionOf = (row: CopiedRow): string => row['version'] ?? '';
export const keyOf = ({ key }: CopiedTable, row: CopiedRow): Key => key.map((column) => row[column] ?? '');

const columnsOf = ({ key }: CopiedTable, of = '') => sql.raw(key.map((name) => `${of}${name}`).join(', '));

/** The values that are not a column's text. */
const VALUES: Record<string, string> = {
  seen_on: "coalesce(seen_on, (now() at time zone 'utc')::date)::text",
};

/** Returns a query of the row with the key in `named`. A person with several ids has one row. */
function rowOf(table: CopiedTable): SQL {
  return table.name === 'people'
    ? foldedPerson(sql`named.project_id`, sql`named.distinct_id`)
    : sql`select * from ${sql.raw(table.name)} as own
        where (${columnsOf(table, 'own.')}) = (${columnsOf(table, 'named.')})`;
}

function namedBy(table: CopiedTable, keys: readonly Key[]): SQL {
  return sql`select * from unnest(${listsOf(table, keys)}) as listed(${columnsOf(table)})`;
}

/** Returns the keys, column by column. */
function listsOf(table: CopiedTable, keys: readonly Key[]): SQL {
  const lists = table.key.map((_, index) => sql`${sql.param(keys.map((one) => one[index] ?? ''))}::text[]`);
  return sql.join(lists, sql`, `);
}

function tupleOf(key: Key): SQL {
  const values = key.map((value) => sql`${value}::text`);
  return sql.join(values, sql`, `);
}
