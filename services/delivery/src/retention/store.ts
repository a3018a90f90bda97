import { type Db, removeSome } from '@switchboard/database';
import { lt, min } from 'drizzle-orm';
import { messages } from '../schema/index.ts';

export interface RetentionStore {
  /** Removes up to a batch of messages from before this time, with their attempts. Returns the number removed. */
  removeMessages(before: Date): Promise<number>;
  oldestMessage(): Promise<Date | undefined>;
}

const MAX_ROWS = 1_000;

export function createRetentionStore(db: Db): RetentionStore {
  return {
    removeMessages: (before) =>
      removeSome(db, messages, {
        where: lt(messages.createdAt, before),
        limit: MAX_ROWS,
        orderBy: messages.createdAt,
      }),

    async oldestMessage() {
      const [row] = await db.select({ at: min(messages.createdAt) }).from(messages);
      return row?.at ?? undefined;
    },
  };
}
