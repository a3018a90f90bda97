import type { Database } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { duplicateEvents, eventDeadLetters, eventSegments, seenEvents } from '../schema/index.ts';

type Db = Database['drizzle'];

/** Each method deletes up to `limit` rows and returns how many. */
export interface RetentionStore {
  deleteSeen(olderThanDays: number, limit: number): Promise<number>;
  deleteDuplicates(olderThanDays: number, limit: number): Promise<number>;
  deleteDeadLetters(olderThanDays: number, limit: number): Promise<number>;
  deleteSegments(olderThanHours: number, limit: number): Promise<number>;
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
    deleteSegments: (hours, limit) =>
      deleteSome(eventSegments, sql`created_at < now() - interval '1 hour' * ${hours}`, limit),
  };
}
