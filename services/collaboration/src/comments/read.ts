import type { Database } from '@switchboard/database';
import { and, asc, count, eq, type SQL, sql } from 'drizzle-orm';
import { comments, reactions, threads } from '../schema.ts';

/** A comment as it is read. Times are as PostgreSQL writes them into JSON: ISO 8601 with an offset. */
export interface CommentRow {
  id: string;
  body: string | null;
  mentions: string[];
  authorSub: string;
  createdAt: string;
  editedAt: string | null;
  isDeleted: boolean;
  reactions: ReactionRow[];
}

export interface ReactionRow {
  emoji: string;
  count: number;
  mine: boolean;
}

export interface ThreadRow {
  thread: typeof threads.$inferSelect;
  comments: CommentRow[];
}

type Reads = Pick<Database, 'drizzle'>;

/** PostgreSQL makes one JSON value of a thread's comments: far faster to read than a row for each of them. */
function readComments({ drizzle }: Reads, where: SQL | undefined) {
  const comment = sql`json_build_object(
    'id', ${comments.id}, 'body', ${comments.body}, 'mentions', ${comments.mentions},
    'authorSub', ${comments.authorSub}, 'createdAt', ${comments.createdAt}, 'editedAt', ${comments.editedAt},
    'isDeleted', ${comments.deletedAt} is not null)`;
  const ofThread = drizzle
    .select({ all: sql`json_agg(${comment} order by ${comments.position})` })
    .from(comments)
    .where(eq(comments.threadId, threads.id));
  return drizzle
    .select({ thread: threads, comments: sql<Omit<CommentRow, 'reactions'>[]>`(${ofThread})` })
    .from(threads)
    .where(where)
    .orderBy(asc(threads.createdAt), asc(threads.id));
}

async function readReactions({ drizzle }: Reads, where: SQL | undefined, sub: string) {
  const rows = await drizzle
    .select({
      commentId: reactions.commentId,
      emoji: reactions.emoji,
      count: count(),
      mine: sql<boolean>`bool_or(${reactions.sub} = ${sub})`,
    })
    .from(threads)
    .innerJoin(comments, eq(comments.threadId, threads.id))
    .innerJoin(reactions, eq(reactions.commentId, comments.id))
    .where(where)
    .groupBy(reactions.commentId, reactions.emoji);
  return Map.groupBy(rows, ({ commentId }) => commentId);
}

/** Threads with their comments and reactions, in order: two queries, whatever their number. */
async function readThreads(database: Reads, where: SQL | undefined, sub: string): Promise<ThreadRow[]> {
  const [rows, byComment] = await Promise.all([
    readComments(database, where),
    readReactions(database, where, sub),
  ]);
  return rows.map(({ thread, comments: written }) => ({
    thread,
    comments: written.map((comment) => ({
      ...comment,
      // A deletion between the two reads may have left reactions behind.
      reactions: comment.isDeleted ? [] : (byComment.get(comment.id) ?? []),
    })),
  }));
}

export function createThreadReader(database: Reads) {
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
