import type { Database } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { duplicateEvents, eventDeadLetters, eventSegments, seenEvents } from '../schema/index.ts';

type Db = Database['drizzle'];

/** What a partition of the log has: records from `earliest` on, all below `end`. */
export interface StoredRange {
  partition: number;
  earliest: bigint;
  end: bigint;
}

/** Each method deletes up to `limit` rows and returns how many. */
export interface RetentionStore {
  deleteSeen(olderThanDays: number, limit: number): Promise<number>;
  deleteDuplicates(olderThanDays: number, limit: number): Promise<number>;
  deleteDeadLetters(olderThanDays: number, limit: number): Promise<number>;
  /** Keeps those with records that the log still has. */
  deleteSegments(olderThanHours: number, stored: readonly StoredRange[], limit: number): Promise<number>;
}

export function createRetentionStore(db: Db): RetentionStore {
  async function deleteSome(table: PgTable, isOld: SQL, limit: number): Promise<number> {
    const rows = await db.execute(sql`
      delete from ${table} where ctid = any(array(
        select ctid from ${table} where ${isOld} limit ${limit} for update skip locked
      )) returning 1`);
    return rows.length;
  }
  const seenBefore = (days: number) => sql`seen_at < now() - interval '1 day' * ${days}`;

  return {
    deleteSeen: (days, limit) => deleteSome(seenEvents, seenBefore(days), limit),
    deleteDuplicates: (days, limit) => deleteSome(duplicateEvents, seenBefore(days), limit),
    deleteDeadLetters: (days, limit) => deleteSome(eventDeadLetters, seenBefore(days), limit),
    deleteSegments(hours, stored, limit) {
      const column = (of: (range: StoredRange) => number | bigint) =>
        sql`${sql.param(stored.map((range) => String(of(range))))}::text[]::bigint[]`;
      const ranges = sql`unnest(
        ${column(({ partition }) => partition)}, ${column(({ earliest }) => earliest)}, ${column(({ end }) => end)}
      ) as stored (log_partition, earliest, "end")`;
      return deleteSome(
        eventSegments,
        sql`created_at < now() - interval '1 hour' * ${hours} and not exists (
          select 1 from ${ranges} where stored.log_partition = event_segments.log_partition
            and last_offset >= stored.earliest and last_offset < stored."end")`,
        limit,
      );
    },
  };
}
