import type { Db } from '@switchboard/database';
import { asc, inArray, lt, min } from 'drizzle-orm';
import { messages } from '../schema/index.ts';

export interface RetentionStore {
  /** Removes up to a batch of messages from before this time, with their attempts. Returns the number removed. */
  removeMessages(before: Date): Promise<number>;
  oldestMessage(): Promise<Date | undefined>;
}

const MAX_ROWS = 1_000;

export function createRetentionStore(db: Db): RetentionStore {
  return {
    async removeMessages(before) {
      const old = db
        .select({ seq: messages.seq })
        .from(messages)
        .where(lt(messages.createdAt, before))
        .orderBy(asc(messages.createdAt))
        .limit(MAX_ROWS);
      const removed = await db
        .delete(messages)
        .where(inArray(messages.seq, old))
        .returning({ seq: messages.seq });
      return removed.length;
    },

    async oldestMessage() {
      const [row] = await db.select({ at: min(messages.createdAt) }).from(messages);
      return row?.at ?? undefined;
    },
  };
}
