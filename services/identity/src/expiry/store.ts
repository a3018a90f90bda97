import type { Db } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { oidcRecords, sessions, tickets } from '../schema/index.ts';

/** The tables with rows that expire. */
const EXPIRING = { sessions, tickets, 'OpenID state': oidcRecords } as const;

export interface ExpiryStore {
  /** Removes at most `limit` rows that expired before a time, and returns their number. */
  remove(kind: keyof typeof EXPIRING, before: Date, limit: number): Promise<number>;
}

export const createExpiryStore = (db: Db): ExpiryStore => ({
  async remove(kind, before, limit) {
    const table = EXPIRING[kind];
    const removed = await db.execute(sql`
      delete from ${table} where ctid = any(array(
        select ctid from ${table} where ${table.expiresAt} < ${before.toISOString()}::timestamptz
        limit ${limit} for update skip locked))`);
    return removed.count;
  },
});
