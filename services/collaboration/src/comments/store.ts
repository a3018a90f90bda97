import type { ReactionEmoji } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { and, asc, count, eq, isNull, max, type SQL, sql } from 'drizzle-orm';
import { comments, reactions, threads } from '../schema/index.ts';

type NewThread = typeof threads.$inferInsert;
type NewComment = Omit<typeof comments.$inferInsert, 'position'>;

/** A comment as it is read. Times are as PostgreSQL writes them: `2026-03-01 09:30:00.5+00`. */
export interface CommentRow {
  threadId: string;
  position: number;
  id: string;
  body: string | null;
  /** null: none. */
  mentions: string[] | null;
  authorSub: string;
  createdAt: string;
  editedAt: string | null;
  isDeleted: boolean;
}

/** A reaction with the number of people who gave it. */
export interface ReactionRow {
  emoji: ReactionEmoji;
  count: number;
  mine: boolean;
}

export interface ThreadRow {
  thread: typeof threads.$inferSelect;
  comments: CommentRow[];
  /** By the position of the comment, which may have been deleted since. */
  reactions: ReadonlyMap<number, ReactionRow[]>;
}

export interface CommentLocation {
  threadId: string;
  reportId: string;
  authorSub: string;
}

export interface CommentsStore {
  /** The threads of a report with their comments and reactions, earliest first. */
  listThreads(projectId: string, reportId: string, sub: string): Promise<ThreadRow[]>;
  readThread(projectId: string, threadId: string, sub: string): Promise<ThreadRow | undefined>;
  /** The report a thread is on. */
  findReport(projectId: string, threadId: string): Promise<string | undefined>;
  find(projectId: string, commentId: string): Promise<CommentLocation | undefined>;
  start(thread: NewThread, first: NewComment): Promise<void>;
  /** False when the thread's first comment is deleted. */
  reply(comment: NewComment): Promise<boolean>;
  /** False when the comment is deleted. */
  change(commentId: string, change: { body: string; mentions: string[]; editedAt: Date }): Promise<boolean>;
  remove(commentId: string, deletedAt: Date): Promise<void>;
  /** Changes nothing when the thread is resolved already. */
  resolve(threadId: string, resolvedBySub: string, resolvedAt: Date): Promise<void>;
  reopen(threadId: string): Promise<void>;
  /** False when the comment is deleted. */
  react(commentId: string, emoji: string, sub: string): Promise<boolean>;
  unreact(commentId: string, emoji: string, sub: string): Promise<void>;
}

export function createCommentsStore(db: Db): CommentsStore {
  return {
    listThreads(projectId, reportId, sub) {
      return readThreads(db, and(eq(threads.projectId, projectId), eq(threads.reportId, reportId)), sub);
    },

    async readThread(projectId, threadId, sub) {
      const [thread] = await readThreads(db, named(projectId, threadId), sub);
      return thread;
    },

    async findReport(projectId, threadId) {
      const [row] = await db
        .select({ reportId: threads.reportId })
        .from(threads)
        .where(named(projectId, threadId));
      return row?.reportId;
    },

    async find(projectId, commentId) {
      const [row] = await db
        .select({
          threadId: comments.threadId,
          reportId: threads.reportId,
          authorSub: comments.authorSub,
        })
        .from(comments)
        .innerJoin(threads, eq(threads.id, comments.threadId))
        .where(and(eq(threads.projectId, projectId), eq(comments.id, commentId)));
      return row;
    },

    async start(thread, first) {
      await db.transaction(async (tx) => {
        await tx.insert(threads).values(thread);
        await tx.insert(comments).values({ ...first, position: 1 });
      });
    },

    async reply(comment) {
      const ofThread = eq(comments.threadId, comment.threadId);
      return db.transaction(async (tx) => {
        // Locks the thread, so that replies that arrive at once get positions of their own.
        await tx
          .select({ id: threads.id })
          .from(threads)
          .where(eq(threads.id, comment.threadId))
          .for('no key update');
        const [first] = await tx
          .select({ deletedAt: comments.deletedAt })
          .from(comments)
          .where(and(ofThread, eq(comments.position, 1)))
          .for('share');
        if (first?.deletedAt !== null) return false;
        const [last] = await tx
          .select({ position: max(comments.position) })
          .from(comments)
          .where(ofThread);
        await tx.insert(comments).values({ ...comment, position: (last?.position ?? 0) + 1 });
        return true;
      });
    },

    async change(commentId, change) {
      const changed = await db
        .update(comments)
        .set(change)
        .where(existing(commentId))
        .returning({ id: comments.id });
      return changed.length > 0;
    },

    async remove(commentId, deletedAt) {
      await db.transaction(async (tx) => {
        await tx.update(comments).set({ deletedAt, body: null, mentions: [] }).where(existing(commentId));
        await tx.delete(reactions).where(eq(reactions.commentId, commentId));
      });
    },

    async resolve(threadId, resolvedBySub, resolvedAt) {
      await db
        .update(threads)
        .set({ resolvedAt, resolvedBySub })
        .where(and(eq(threads.id, threadId), isNull(threads.resolvedAt)));
    },

    async reopen(threadId) {
      await db.update(threads).set({ resolvedAt: null, resolvedBySub: null }).where(eq(threads.id, threadId));
    },

    async react(commentId, emoji, sub) {
      return db.transaction(async (tx) => {
        // Locks the comment, so that a deletion removes this reaction too.
        const [comment] = await tx
          .select({ id: comments.id })
          .from(comments)
          .where(existing(commentId))
          .for('share');
        if (comment === undefined) return false;
        await tx.insert(reactions).values({ commentId, emoji, sub }).onConflictDoNothing();
        return true;
      });
    },

    async unreact(commentId, emoji, sub) {
      await db
        .delete(reactions)
        .where(and(eq(reactions.commentId, commentId), eq(reactions.emoji, emoji), eq(reactions.sub, sub)));
    },
  };
}

/** Lists of the same length: the n-th reaction of a thread is to the comment at the n-th position. */
interface ThreadReactions {
  positions: number[] | null;
  emojis: ReactionEmoji[];
  counts: number[];
  mine: boolean[];
}

/** Threads with their reactions. Lists of one type each are several times as fast to make as objects. */
function readReactions(db: Db, where: SQL | undefined, sub: string) {
  const counted = db
    .select({
      position: sql`${comments.position}`.as('position'),
      emoji: sql`${reactions.emoji}`.as('emoji'),
      people: count().as('people'),
      mine: sql`bool_or(${reactions.sub} = ${sub})`.as('mine'),
    })
    .from(comments)
    .innerJoin(reactions, eq(reactions.commentId, comments.id))
    .where(eq(comments.threadId, threads.id))
    .groupBy(comments.position, reactions.emoji)
    .as('counted');
  const lists = db
    .select({
      all: sql`json_build_object('positions', json_agg(${counted.position}), 'emojis', json_agg(${counted.emoji}),
        'counts', json_agg(${counted.people}), 'mine', json_agg(${counted.mine}))`,
    })
    .from(counted);
  return db
    .select({ thread: threads, reactions: sql<ThreadReactions>`(${lists})` })
    .from(threads)
    .where(where)
    .orderBy(asc(threads.createdAt), asc(threads.id));
}

/** Not by Drizzle's select, which takes as long to map ten thousand rows as PostgreSQL to find them. */
async function readComments(db: Db, where: SQL | undefined) {
  const rows = await db.execute<CommentRow & Record<string, unknown>>(sql`
    select ${comments.threadId} as "threadId", ${comments.position}, ${comments.id}, ${comments.body},
      nullif(${comments.mentions}, '{}') as mentions, ${comments.authorSub} as "authorSub",
      ${comments.createdAt} as "createdAt", ${comments.editedAt} as "editedAt",
      ${comments.deletedAt} is not null as "isDeleted"
    from ${threads} inner join ${comments} on ${comments.threadId} = ${threads.id}
    where ${where} order by ${threads.createdAt}, ${threads.id}, ${comments.position}`);
  return Map.groupBy<string, CommentRow>(rows, ({ threadId }) => threadId);
}

/** Threads with their comments and reactions, earliest first, in two queries however many there are. */
async function readThreads(db: Db, where: SQL | undefined, sub: string): Promise<ThreadRow[]> {
  const [rows, byThread] = await Promise.all([readReactions(db, where, sub), readComments(db, where)]);
  return rows.flatMap(({ thread, reactions: lists }) => {
    const found = byThread.get(thread.id);
    // Started between the two reads.
    if (found === undefined) return [];
    return [{ thread, comments: found, reactions: reactionsByPosition(lists) }];
  });
}

function reactionsByPosition({ positions, emojis, counts, mine }: ThreadReactions) {
  const byPosition = new Map<number, ReactionRow[]>();
  for (const [index, position] of positions?.entries() ?? []) {
    const emoji = emojis[index];
    if (emoji === undefined) continue;
    const row = { emoji, count: counts[index] ?? 0, mine: mine[index] ?? false };
    const known = byPosition.get(position);
    if (known === undefined) byPosition.set(position, [row]);
    else known.push(row);
  }
  return byPosition;
}

const named = (projectId: string, threadId: string) =>
  and(eq(threads.projectId, projectId), eq(threads.id, threadId));

const existing = (commentId: string) => and(eq(comments.id, commentId), isNull(comments.deletedAt));
