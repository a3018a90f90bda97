import type { ReactionEmoji } from '@switchboard/contracts';
import { type Db, type Transactor, type Tx, tryTransaction } from '@switchboard/database';
import { type AnyColumn, and, asc, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { requireHeldReport } from '../directory/reports.ts';
import type { Announce } from '../mentions/mentions.ts';
import { comments, reactions, threads } from '../schema/index.ts';
import { CAPACITY } from './size.ts';

type NewThread = typeof threads.$inferInsert;
type NewComment = Omit<typeof comments.$inferInsert, 'position'>;

/** A comment as read from the database. Times are in PostgreSQL format: `2026-03-01 09:30:00.5+00`. */
export interface CommentRow {
  position: number;
  id: string;
  /** Null once the comment is deleted. */
  body: string | null;
  /** Null: no mentions. */
  mentions: string[] | null;
  authorSub: string;
  createdAt: string;
  editedAt: string | null;
}

/** A reaction with the people who gave it. */
export interface ReactionRow {
  emoji: ReactionEmoji;
  subs: string[];
}

type Thread = typeof threads.$inferSelect;

/**
 * `full`: the thread would exceed CAPACITY. `deleted`: the comment, or the first comment of the thread, is
 * deleted.
 */
export type Outcome = 'done' | 'deleted' | 'full';

/** The thread after which a page begins. */
export type ThreadPlace = Pick<Thread, 'createdAt' | 'id'>;

/** A thread without its comments. */
export interface ThreadSummary {
  thread: Thread;
  /** Changes whenever the comments or reactions of the thread change. */
  version: string;
}

export interface ThreadContent {
  /** The `version` of `ThreadSummary` for this content. */
  version: string;
  comments: CommentRow[];
  /** Reactions by the position of their comment, which may have been deleted since. */
  reactions: ReadonlyMap<number, ReactionRow[]>;
}

export interface ThreadRow extends Omit<ThreadContent, 'version'> {
  thread: Thread;
}

export interface CommentLocation {
  threadId: string;
  reportId: string;
  authorSub: string;
}

export interface CommentChange {
  body: string;
  mentions: string[];
  editedAt: Date;
}

export interface CommentsStore {
  /** Returns up to `limit` threads of a report, earliest first, starting after this one. */
  listThreads(
    projectId: string,
    reportId: string,
    limit: number,
    after?: ThreadPlace,
  ): Promise<ThreadSummary[]>;
  /** Returns contents by thread id. */
  readContents(threadIds: readonly string[]): Promise<ReadonlyMap<string, ThreadContent>>;
  readThread(projectId: string, threadId: string): Promise<ThreadRow | undefined>;
  /** Returns the id of the report that a thread is on. */
  findReport(projectId: string, threadId: string): Promise<string | undefined>;
  find(projectId: string, commentId: string): Promise<CommentLocation | undefined>;
  /**
   * Calls `announce` in the transaction, as the other methods do. Throws NotFound when the report no longer
   * exists.
   */
  start(thread: NewThread, first: NewComment, announce: Announce, within: Transactor): Promise<void>;
  reply(comment: NewComment, announce: Announce, within: Transactor): Promise<Outcome>;
  change(
    comment: Pick<CommentRow, 'id'> & { threadId: string },
    change: CommentChange,
    announce: Announce,
    within: Transactor,
  ): Promise<Outcome>;
  remove(commentId: string, deletedAt: Date, within: Transactor): Promise<void>;
  /** Has no effect when the thread is already resolved. */
  resolve(threadId: string, resolvedBySub: string, resolvedAt: Date, within: Transactor): Promise<void>;
  reopen(threadId: string, within: Transactor): Promise<void>;
  /** Returns false when the comment is deleted. */
  react(commentId: string, emoji: string, sub: string, within: Transactor): Promise<boolean>;
  unreact(commentId: string, emoji: string, sub: string, within: Transactor): Promise<void>;
}

export function createCommentsStore(db: Db): CommentsStore {
  return {
    async listThreads(projectId, reportId, limit, after) {
      const ofReport = and(eq(threads.projectId, projectId), eq(threads.reportId, reportId));
      const isAfter =
        after &&
        sql`(${threads.createdAt}, ${threads.id}) > (${after.createdAt.toISOString()}::timestamptz, ${after.id})`;
      const order = [asc(threads.createdAt), asc(threads.id)];
      const page = db
        .select({ id: threads.id })
        .from(threads)
        .where(and(ofReport, isAfter))
        .orderBy(...order)
        .limit(limit);
      const ofThreads = db
        .select({ thread: threads, hash: sql<string | null>`${hashOf(comments)}::text` })
        .from(threads)
        .leftJoin(comments, eq(comments.threadId, threads.id))
        .where(inArray(threads.id, page))
        .groupBy(threads.id)
        .orderBy(...order);
      const ofReactions = db
        .select({ threadId: comments.threadId, hash: sql<string>`${hashOf(reactions)}::text` })
        .from(comments)
        .innerJoin(reactions, eq(reactions.commentId, comments.id))
        .where(inArray(comments.threadId, page))
        .groupBy(comments.threadId);
      const [found, reacted] = await Promise.all([ofThreads, ofReactions]);
      const reactionHashes = new Map(reacted.map(({ threadId, hash }) => [threadId, hash]));
      return found.map(({ thread, hash }) => ({
        thread,
        version: versionOf(hash ?? '', reactionHashes.get(thread.id)),
      }));
    },

    readContents: (threadIds) => readContents(db, threadIds),

    async readThread(projectId, threadId) {
      const [thread] = await db.select().from(threads).where(named(projectId, threadId));
      if (thread === undefined) return undefined;
      const content = (await readContents(db, [threadId])).get(threadId);
      return content && { thread, ...content };
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

    async start(thread, first, announce, within) {
      await within.transaction(async (tx) => {
        await requireHeldReport(tx, thread.projectId, thread.reportId);
        await tx.insert(threads).values(thread);
        await tx.insert(comments).values({ ...first, position: 1 });
        await announce(tx);
      });
    },

    async reply(comment, announce, within) {
      const { threadId, body } = comment;
      return tryTransaction<Outcome>(within, async (tx, undo) => {
        await lock(tx, threadId);
        const [first] = await tx
          .select({ deletedAt: comments.deletedAt })
          .from(comments)
          .where(and(eq(comments.threadId, threadId), eq(comments.position, 1)))
          .for('share');
        if (first?.deletedAt !== null) return undo('deleted');
        const { last, bytes, lastAt } = await sizeOf(tx, eq(comments.threadId, threadId));
        if (last >= CAPACITY.comments || bytes + textBytes(body) > CAPACITY.bytes) return undo('full');
        // Never earlier than the previous comment, because the time was taken before waiting for the lock.
        const createdAt = sql`greatest(${lastAt}::timestamptz, ${comment.createdAt.toISOString()}::timestamptz)`;
        await tx.insert(comments).values({ ...comment, createdAt, position: last + 1 });
        await announce(tx);
        return 'done';
      });
    },

    async change({ id, threadId }, change, announce, within) {
      return tryTransaction<Outcome>(within, async (tx, undo) => {
        await lock(tx, threadId);
        const others = await sizeOf(tx, and(eq(comments.threadId, threadId), ne(comments.id, id)));
        if (others.bytes + textBytes(change.body) > CAPACITY.bytes) return undo('full');
        const [before] = await tx
          .select({ mentions: comments.mentions })
          .from(comments)
          .where(existing(id))
          .for('no key update');
        if (before === undefined) return undo('deleted');
        await tx.update(comments).set(change).where(eq(comments.id, id));
        await announce(tx, before.mentions);
        return 'done';
      });
    },

    async remove(commentId, deletedAt, within) {
      await within.transaction(async (tx) => {
        await tx.update(comments).set({ deletedAt, body: null, mentions: [] }).where(existing(commentId));
        await tx.delete(reactions).where(eq(reactions.commentId, commentId));
      });
    },

    async resolve(threadId, resolvedBySub, resolvedAt, within) {
      await within.transaction((tx) =>
        tx
          .update(threads)
          .set({ resolvedAt, resolvedBySub })
          .where(and(eq(threads.id, threadId), isNull(threads.resolvedAt))),
      );
    },

    async reopen(threadId, within) {
      await within.transaction((tx) =>
        tx.update(threads).set({ resolvedAt: null, resolvedBySub: null }).where(eq(threads.id, threadId)),
      );
    },

    async react(commentId, emoji, sub, within) {
      return tryTransaction(within, async (tx, undo) => {
        // Locks the comment, so that a deletion removes this reaction too.
        const [comment] = await tx
          .select({ id: comments.id })
          .from(comments)
          .where(existing(commentId))
          .for('share');
        if (comment === undefined) return undo(false);
        await tx.insert(reactions).values({ commentId, emoji, sub }).onConflictDoNothing();
        return true;
      });
    },

    async unreact(commentId, emoji, sub, within) {
      await within.transaction((tx) =>
        tx
          .delete(reactions)
          .where(and(eq(reactions.commentId, commentId), eq(reactions.emoji, emoji), eq(reactions.sub, sub))),
      );
    },
  };
}

const textBytes = (body: string | null | undefined) => Buffer.byteLength(body ?? '');

/**
 * Locks the thread, so that concurrent replies get distinct positions and concurrent changes do not exceed its
 * capacity.
 */
async function lock(tx: Tx, threadId: string): Promise<void> {
  await tx.select({ id: threads.id }).from(threads).where(eq(threads.id, threadId)).for('no key update');
}

/** Returns the last position and time, and the total bytes of the texts, of at most CAPACITY.comments comments. */
async function sizeOf(tx: Tx, where: SQL | undefined) {
  const [size] = await tx
    .select({
      last: sql<number>`coalesce(max(${comments.position}), 0)`,
      lastAt: sql<string | null>`max(${comments.createdAt})::text`,
      bytes: sql<number>`coalesce(sum(octet_length(${comments.body})), 0)::integer`,
    })
    .from(comments)
    .where(where);
  return size ?? { last: 0, lastAt: null, bytes: 0 };
}

/** Hashes all columns of these rows, so that any change to them changes the hash. */
const hashOf = (table: typeof comments | typeof reactions) =>
  sql<bigint>`bit_xor(hash_record_extended(${table}, 0))`;

const versionOf = (commentHash: string, reactionHash = '') => `${commentHash} ${reactionHash}`;

async function readContents(db: Db, threadIds: readonly string[]) {
  const ofThreads = sql`${comments.threadId} = any(${sql.param(threadIds)}::text[])`;
  const [commented, reacted] = await Promise.all([readComments(db, ofThreads), readReactions(db, ofThreads)]);
  const reactionsOf = new Map(reacted.map((row) => [row.threadId, row]));
  return new Map(
    commented.map((row): [string, ThreadContent] => {
      const lists = reactionsOf.get(row.threadId);
      return [
        row.threadId,
        {
          version: versionOf(row.hash, lists?.hash),
          comments: commentRows(row),
          reactions: lists === undefined ? new Map() : reactionsByPosition(lists),
        },
      ];
    }),
  );
}

/**
 * The comments of a thread as lists of one type each, all of the same length and order. Reading these takes a
 * third of the time of rows and objects.
 */
interface CommentLists {
  threadId: string;
  hash: string;
  positions: number[];
  ids: string[];
  bodies: (string | null)[];
  mentions: (string[] | null)[];
  authorSubs: string[];
  createdAt: string[];
  editedAt: (string | null)[];
}

/** Reads the comments and their hash in one statement, so that both reflect the same moment. */
function readComments(db: Db, where: SQL) {
  const list = (column: AnyColumn | SQL) => sql`json_agg(${column} order by ${comments.position})`;
  return db.execute<CommentLists & Record<string, unknown>>(sql`
    select ${comments.threadId} as "threadId", ${hashOf(comments)}::text as hash,
      ${list(comments.position)} as positions, ${list(comments.id)} as ids, ${list(comments.body)} as bodies,
      ${list(sql`nullif(${comments.mentions}, '{}')`)} as mentions, ${list(comments.authorSub)} as "authorSubs",
      ${list(sql`${comments.createdAt}::text`)} as "createdAt", ${list(sql`${comments.editedAt}::text`)} as "editedAt"
    from ${comments} where ${where} group by ${comments.threadId}`);
}

function commentRows(lists: CommentLists): CommentRow[] {
  return lists.ids.map((id, index) => ({
    position: lists.positions[index] ?? 0,
    id,
    body: lists.bodies[index] ?? null,
    mentions: lists.mentions[index] ?? null,
    authorSub: lists.authorSubs[index] ?? '',
    createdAt: lists.createdAt[index] ?? '',
    editedAt: lists.editedAt[index] ?? null,
  }));
}

/** The reactions to the comments of a thread, one person each, as lists of the same length and order. */
interface ReactionLists {
  threadId: string;
  hash: string;
  positions: number[];
  emojis: ReactionEmoji[];
  subs: string[];
}

function readReactions(db: Db, where: SQL) {
  return db.execute<ReactionLists & Record<string, unknown>>(sql`
    select ${comments.threadId} as "threadId", ${hashOf(reactions)}::text as hash,
      json_agg(${comments.position}) as positions, json_agg(${reactions.emoji}) as emojis,
      json_agg(${reactions.sub}) as subs
    from ${comments} inner join ${reactions} on ${reactions.commentId} = ${comments.id}
    where ${where} group by ${comments.threadId}`);
}

function reactionsByPosition({ positions, emojis, subs }: ReactionLists) {
  const byPosition = new Map<number, ReactionRow[]>();
  for (const [index, sub] of subs.entries()) {
    const position = positions[index];
    const emoji = emojis[index];
    if (position === undefined || emoji === undefined) continue;
    const rows = byPosition.get(position) ?? [];
    if (rows.length === 0) byPosition.set(position, rows);
    const row = rows.find((one) => one.emoji === emoji);
    if (row === undefined) rows.push({ emoji, subs: [sub] });
    else row.subs.push(sub);
  }
  return byPosition;
}

const named = (projectId: string, threadId: string) =>
  and(eq(threads.projectId, projectId), eq(threads.id, threadId));

const existing = (commentId: string) => and(eq(comments.id, commentId), isNull(comments.deletedAt));
