import { MAX_COUNTED_USAGE } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import { conversations, messages } from '../schema/index.ts';

export interface UsageStore {
  /** Counts conversations with a turn since then, up to MAX_COUNTED_USAGE. */
  countConversations(projectId: string, since: Date): Promise<number>;
  /** Returns the time of the last turn of the conversation that rests for longest. */
  oldestConversation(projectId: string): Promise<Date | undefined>;
  oldestMessage(projectId: string): Promise<Date | undefined>;
}

export function createUsageStore(db: Db): UsageStore {
  const dateOf = async (query: SQL) => {
    const [row] = await db.execute<{ oldest: string | null }>(query);
    return row?.oldest == null ? undefined : new Date(row.oldest);
  };
  return {
    async countConversations(projectId, since) {
      const [row] = await db.execute<{ count: number }>(sql`select count(*)::int as count from (
        select from ${conversations} where project_id = ${projectId}
          and last_turn_at >= ${since.toISOString()}::timestamptz limit ${MAX_COUNTED_USAGE}) as counted`);
      return row?.count ?? 0;
    },
    oldestConversation: (projectId) =>
      dateOf(sql`select min(last_turn_at) as oldest from ${conversations} where project_id = ${projectId}`),
    oldestMessage: (projectId) =>
      dateOf(sql`select min(created_at) as oldest from ${messages} where project_id = ${projectId}`),
  };
}
