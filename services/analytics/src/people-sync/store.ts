import type { Db } from '@switchboard/database';
import type { AppliedPosition } from '@switchboard/user-state';
import { and, eq, gte, inArray, isNotNull, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { CopiedRow, CopiedTable, Key } from '../clickhouse/people-store.ts';
import { appliedPositions, backfills } from '../schema/index.ts';

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
  /** Whether the records of a partition have been applied up to a position. */
  isApplied(position: AppliedPosition): Promise<boolean>;
  /** Whether these backfills are done. */
  areDone(names: readonly string[]): Promise<boolean>;
}

const textRows = z.array(z.record(z.string(), z.string()));

export function createPeopleSyncStore(db: Pick<Db, 'execute' | 'select'>): PeopleSyncStore {
  async function find(table: CopiedTable, which: SQL): Promise<CopiedRow[]> {
    const documents = sql.raw(table.documents.map((name) => `${name}::text as ${name}`).join(', '));
    const found = await db.execute(sql`
      select ${columnsOf(table)}, ${documents},
        coalesce(seen_on, (now() at time zone 'utc')::date)::text as seen_on,
        ${VERSION} as version
      from ${sql.raw(table.name)} ${which}`);
    return textRows.parse([...found]);
  }

  return {
    rows: (table, keys) => find(table, sql`where ${isOneOf(table, keys)}`),

    rowsAfter(table, after, limit) {
      const follows = after === undefined ? sql`` : sql`where (${columnsOf(table)}) > (${tupleOf(after)})`;
      return find(table, sql`${follows} order by ${columnsOf(table)} limit ${limit}`);
    },

    async missing(table, keys) {
      const found = await db.execute(sql`
        select ${columnsOf(table)}, ${VERSION} as version
        from unnest(${listsOf(table, keys)}) as named(${columnsOf(table)})
        where not exists (select from ${sql.raw(table.name)} as one
          where (${columnsOf(table, 'one.')}) = (${columnsOf(table, 'named.')}))`);
      return textRows.parse([...found]);
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

function isOneOf(table: CopiedTable, keys: readonly Key[]): SQL {
  return sql`(${columnsOf(table)}) in (select * from unnest(${listsOf(table, keys)}))`;
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
