import type { Database } from '@switchboard/database';
import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { comments, reactions, threads } from '../schema.ts';

interface ReactionRow {
  emoji: string;
  count: number;
  mine: boolean;
}

export interface ThreadRow {
  thread: typeof threads.$inferSelect;
  comments: (typeof comments.$inferSelect & { reactions: ReactionRow[] })[];
}

/** Threads with their comments and reactions, in order: one query, whatever their number. */
async function readThreads(
  { drizzle }: Pick<Database, 'drizzle'>,
  where: SQL | undefined,
  sub: string,
): Promise<ThreadRow[]> {
  const byEmoji = drizzle
    .select({
      emoji: reactions.emoji,
      count: sql`count(*)`.as('count'),
      mine: sql`bool_or(${reactions.sub} = ${sub})`.as('mine'),
    })
    .from(reactions)
    .where(eq(reactions.commentId, comments.id))
    .groupBy(reactions.emoji);
  const rows = await drizzle
    .select({
      thread: threads,
      comment: comments,
      reactions: sql<ReactionRow[] | null>`(select json_agg(r) from (${byEmoji}) r)`,
    })
    .from(threads)
    .innerJoin(comments, eq(comments.threadId, threads.id))
    .where(where)
    .orderBy(asc(threads.createdAt), asc(threads.id), asc(comments.position));
  const found: ThreadRow[] = [];
  for (const { thread, comment, reactions: given } of rows) {
    let current = found.at(-1);
    if (current?.thread.id !== thread.id) {
      current = { thread, comments: [] };
      found.push(current);
    }
    current.comments.push({ ...comment, reactions: given ?? [] });
  }
  return found;
}

export function createThreadReader(database: Pick<Database, 'drizzle'>) {
  return {
    ofReport(projectId: string, reportId: string, sub: string): Promise<ThreadRow[]> {
      const where = and(eq(threads.projectId, projectId), eq(threads.reportId, reportId));
      return readThreads(database, where, sub);
    },

    async one(projectId: string, threadId: string, sub: string): Promise<ThreadRow | undefined> {
      const where = and(eq(threads.projectId, projectId), eq(threads.id, threadId));
      const [thread] = await readThreads(database, where, sub);
      return thread;
    },
  };
}
