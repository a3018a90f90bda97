import { type Db, removeSome } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import {
  attachments,
  conversations,
  messageKeys,
  messages,
  reads,
  recipients,
  translatedBytes,
  turns,
} from '../schema/index.ts';

/** Each removal runs in one bounded transaction and returns the number removed, or 0 when nothing is left. */
export interface RetentionStore {
  /**
   * Removes conversations without a turn since `before`, with their turns and attachments. Calls `removeObjects`
   * with the keys of their attachments while no attachment can be added. If it throws, all rows stay.
   */
  removeConversations(
    before: Date,
    removeObjects: (keys: readonly string[]) => Promise<void>,
  ): Promise<{ rows: number; objects: number }>;
  /** Returns the last turn of the conversation that has been inactive for longest. */
  oldestConversation(): Promise<Date | undefined>;
  /** Removes in-app messages created before `before`, with their recipients and reads. */
  removeMessages(before: Date): Promise<{ rows: number }>;
  oldestMessage(): Promise<Date | undefined>;
  /** Removes the counts of months (YYYY-MM) before `month`. */
  removeTranslatedBytes(month: string): Promise<{ rows: number }>;
  oldestTranslatedMonth(): Promise<string | undefined>;
}

const MAX_CONVERSATIONS = 100;
/** The number of turns removed at a time. A conversation with more is removed alone. */
const MAX_TURNS = 5_000;
const MAX_MESSAGES = 100;
const MAX_ROWS = 5_000;

export function createRetentionStore(db: Db): RetentionStore {
  const dateOf = async (query: SQL) => {
    const [row] = await db.execute<{ oldest: string | null }>(query);
    return row?.oldest == null ? undefined : new Date(row.oldest);
  };

  return {
    removeConversations: (before, removeObjects) =>
      db.transaction(async (tx) => {
        const isOld = sql`last_turn_at < ${before.toISOString()}::timestamptz`;
        // Locks the rows, so that a new turn or attachment waits and then finds no conversation.
        const locked = await tx.execute<{ id: string }>(sql`
          select id from ${conversations} where ${isOld} and id = any(array(
            select id from (
              select id, sum(turn_count) over (order by last_turn_at, id) - turn_count as turns_before
              from (
                select id, turn_count, last_turn_at from ${conversations} where ${isOld}
                order by last_turn_at, id limit ${MAX_CONVERSATIONS}
              ) as oldest
            ) as counted where turns_before < ${MAX_TURNS}
          )) for update skip locked`);
        if (locked.length === 0) return { rows: 0, objects: 0 };
        const ids = sql`any(${sql.param(locked.map(({ id }) => id))}::text[])`;
        const files = await tx.execute<{ object_key: string }>(sql`
          delete from ${attachments} where conversation_id = ${ids} returning object_key`);
        await removeObjects(files.map((file) => file.object_key));
        const { count } = await tx.execute(sql`delete from ${turns} where conversation_id = ${ids}`);
        await tx.execute(sql`delete from ${conversations} where id = ${ids}`);
        return { rows: locked.length + files.length + count, objects: files.length };
      }),

    oldestConversation: () => dateOf(sql`select min(last_turn_at) as oldest from ${conversations}`),

    removeMessages: (before) =>
      db.transaction(async (tx) => {
        const locked = await tx.execute<{ id: string }>(sql`
          select id from ${messages} where created_at < ${before.toISOString()}::timestamptz
          order by created_at, id limit ${MAX_MESSAGES} for update skip locked`);
        if (locked.length === 0) return { rows: 0 };
        const ids = sql`any(${sql.param(locked.map(({ id }) => id))}::text[])`;
        let rows = 0;
        for (const table of [reads, recipients, messageKeys]) {
          const count = await removeSome(tx, table, { where: sql`message_id = ${ids}`, limit: MAX_ROWS });
          rows += count;
          if (count === MAX_ROWS) return { rows };
        }
        const { count } = await tx.execute(sql`delete from ${messages} where id = ${ids}`);
        return { rows: rows + count };
      }),

    oldestMessage: () => dateOf(sql`select min(created_at) as oldest from ${messages}`),

    async removeTranslatedBytes(month) {
      const where = sql`month < ${month}`;
      return { rows: await removeSome(db, translatedBytes, { where, limit: MAX_ROWS }) };
    },

    async oldestTranslatedMonth() {
      const [row] = await db.execute<{ month: string | null }>(sql`
        select min(month) as month from ${translatedBytes}`);
      return row?.month ?? undefined;
    },
  };
}
