import { type Database, removeSome, type Tx } from '@switchboard/database';
import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { duplicateEvents, eventDeadLetters, eventSegments, seenDays, seenEvents } from '../schema/index.ts';

type Db = Database['drizzle'];

/** The stored range of a partition: records from `earliest` on, all below `end`. */
export interface StoredRange {
  partition: number;
  earliest: bigint;
  end: bigint;
}

/** A day of seen events. */
export interface SeenDay {
  day: string;
  /** The size of its tables and indexes. */
  bytes: number;
  /** Days since its end; negative for the current day. */
  endedDaysAgo: number;
}

/** Methods with a limit delete up to `limit` rows and return how many. */
export interface RetentionStore {
  /** Begins today (UTC) by the database's clock. Returns false if it has already begun. */
  beginDay(): Promise<boolean>;
  /** Returns the stored days, the earliest first. */
  days(): Promise<SeenDay[]>;
  /** Drops the seen events of a day and their duplicates. */
  dropDay(day: string): Promise<void>;
  deleteDeadLetters(olderThanDays: number, limit: number): Promise<number>;
  /** Deletes old segments, except those with records that the log still has. */
  deleteSegments(olderThanHours: number, stored: readonly StoredRange[], limit: number): Promise<number>;
}

const PARTITIONED = [seenEvents, duplicateEvents];
/** The time to wait for a lock. Other statements queue behind a waiting lock. */
const LOCK_WITHIN = '5s';
const TODAY = sql`(clock_timestamp() at time zone 'utc')::date`;
/** The rows of a day never change once it has ended, and are dropped with it. */
const PARTITION_SETTINGS = sql`with (autovacuum_vacuum_insert_threshold = -1)`;
const PRIMARY_KEYS = new Map<PgTable, SQL>([
  [seenEvents, sql`(primary key (event_key))`],
  [duplicateEvents, sql`(primary key (event_key, log_partition, log_offset, log_line))`],
]);

export function createRetentionStore(db: Db, today: SQL = TODAY): RetentionStore {
  /** Waits for every writing statement, and blocks new ones until the transaction ends. They then see the changes. */
  const alone = <T>(work: (tx: Tx) => Promise<T>) =>
    db.transaction(async (tx) => {
      await tx.execute(sql`set local lock_timeout = ${sql.raw(`'${LOCK_WITHIN}'`)}`);
      await tx.execute(sql`lock table ${seenEvents}, ${duplicateEvents} in access exclusive mode`);
      return work(tx);
    });
  const isBegun = async (on: Db | Tx) => {
    const [row] = await on.execute(sql`select max(day) >= ${today} as is_begun from ${seenDays}`);
    return row?.['is_begun'] === true;
  };
  /** Returns the partitions of a table with the days of their rows. */
  const partitionsOf = (table: PgTable) => sql`
    select part.oid, part.relname as name, (regexp_match(pg_get_expr(part.relpartbound, part.oid), '\\d{4}-\\d\\d-\\d\\d'))[1]::date as day
    from pg_inherits join pg_class as part on part.oid = inhrelid
    where inhparent = ${getTableName(table)}::regclass`;

  return {
    async beginDay() {
      if (await isBegun(db)) return false;
      return alone(async (tx) => {
        if (await isBegun(tx)) return false;
        const [row] = await tx.execute<{ day: string }>(sql`
          insert into ${seenDays} select ${today} returning day::text as day`);
        if (row === undefined) return false;
        for (const table of PARTITIONED) {
          const name = sql.identifier(`${getTableName(table)}_${row.day.replaceAll('-', '_')}`);
          await tx.execute(sql`
            create table ${name} partition of ${table} ${PRIMARY_KEYS.get(table)}
            for values in (${sql.raw(`'${row.day}'`)}) ${PARTITION_SETTINGS}`);
        }
        return true;
      });
    },

    async days() {
      const rows = await db.execute<{ day: string; bytes: number | bigint; ended: number }>(sql`
        select day::text as day, ${today} - lead(day, 1, ${today} + 1) over (order by day) as ended, (
          select coalesce(sum(pg_total_relation_size(part.oid)), 0)
          from (${partitionsOf(seenEvents)} union all ${partitionsOf(duplicateEvents)}) as part
          where part.day = ${seenDays}.day
        )::bigint as bytes
        from ${seenDays} order by day`);
      return rows.map(({ day, bytes, ended }) => ({ day, bytes: Number(bytes), endedDaysAgo: ended }));
    },

    async dropDay(day) {
      await alone(async (tx) => {
        await tx.execute(sql`delete from ${seenDays} where day = ${day}::date`);
        for (const table of PARTITIONED) {
          const names = await tx.execute<{ name: string }>(sql`
            select name from (${partitionsOf(table)}) as part where day = ${day}::date`);
          for (const { name } of names) await tx.execute(sql`drop table ${sql.identifier(name)}`);
        }
      });
    },

    deleteDeadLetters: (days, limit) =>
      removeSome(db, eventDeadLetters, {
        where: sql`seen_at < now() - interval '1 day' * ${days}`,
        limit,
        skipsLocked: true,
      }),
    deleteSegments(hours, stored, limit) {
      const column = (of: (range: StoredRange) => number | bigint) =>
        sql`${sql.param(stored.map((range) => String(of(range))))}::text[]::bigint[]`;
      const ranges = sql`unnest(
        ${column(({ partition }) => partition)}, ${column(({ earliest }) => earliest)}, ${column(({ end }) => end)}
      ) as stored (log_partition, earliest, "end")`;
      return removeSome(db, eventSegments, {
        where: sql`created_at < now() - interval '1 hour' * ${hours} and not exists (
          select 1 from ${ranges} where stored.log_partition = event_segments.log_partition
            and last_offset >= stored.earliest and last_offset < stored."end")`,
        limit,
        skipsLocked: true,
      });
    },
  };
}
