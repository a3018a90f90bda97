import { type Db, removeSome } from '@switchboard/database';
import { lt } from 'drizzle-orm';
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
    return removeSome(db, table, { where: lt(table.expiresAt, before), limit, skipsLocked: true });
  },
});
