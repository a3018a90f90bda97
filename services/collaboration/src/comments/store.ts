import type { Database } from '@switchboard/database';
import { and, eq, isNull, max } from 'drizzle-orm';
import { comments, reactions, threads } from '../schema.ts';

type NewThread = typeof threads.$inferInsert;
type NewComment = Omit<typeof comments.$inferInsert, 'position'>;

export interface CommentPlace {
  threadId: string;
  reportId: string;
  authorSub: string;
}

export type CommentStore = ReturnType<typeof createCommentStore>;

const present = (id: string) => and(eq(comments.id, id), isNull(comments.deletedAt));
const ofProject = (projectId: string, id: string) =>
  and(eq(threads.projectId, projectId), eq(threads.id, id));

export function createCommentStore({ drizzle }: Pick<Database, 'drizzle'>) {
  return {
    async start(thread: NewThread, first: NewComment): Promise<void> {
      await drizzle.transaction(async (tx) => {
        await tx.insert(threads).values(thread);
        await tx.insert(comments).values({ ...first, position: 1 });
      });
    },

    /** False when the thread's first comment is deleted. Holds the thread, so that each reply has a place of its own. */
    async reply(comment: NewComment): Promise<boolean> {
      const ofThread = eq(comments.threadId, comment.threadId);
      return drizzle.transaction(async (tx) => {
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

    async reportOf(projectId: string, threadId: string): Promise<string | undefined> {
      const [row] = await drizzle
        .select({ reportId: threads.reportId })
        .from(threads)
        .where(ofProject(projectId, threadId));
      return row?.reportId;
    },

    async find(projectId: string, commentId: string): Promise<CommentPlace | undefined> {
      const [row] = await drizzle
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

    /** False when the comment is deleted. */
    async change(
      commentId: string,
      change: { body: string; mentions: string[]; editedAt: Date },
    ): Promise<boolean> {
      const changed = await drizzle
        .update(comments)
        .set(change)
        .where(present(commentId))
        .returning({ id: comments.id });
      return changed.length > 0;
    },

    async remove(commentId: string, deletedAt: Date): Promise<void> {
      await drizzle.transaction(async (tx) => {
        await tx.update(comments).set({ deletedAt, body: null, mentions: [] }).where(present(commentId));
        await tx.delete(reactions).where(eq(reactions.commentId, commentId));
      });
    },

    /** Changes nothing when somebody has resolved it already. */
    async resolve(threadId: string, resolvedBySub: string, resolvedAt: Date): Promise<void> {
      await drizzle
        .update(threads)
        .set({ resolvedAt, resolvedBySub })
        .where(and(eq(threads.id, threadId), isNull(threads.resolvedAt)));
    },

    async reopen(threadId: string): Promise<void> {
      await drizzle
        .update(threads)
        .set({ resolvedAt: null, resolvedBySub: null })
        .where(eq(threads.id, threadId));
    },

    /** False when the comment is deleted; holds the comment, so that a deletion takes this reaction with it. */
    async react(commentId: string, emoji: string, sub: string): Promise<boolean> {
      return drizzle.transaction(async (tx) => {
        const [comment] = await tx
          .select({ id: comments.id })
          .from(comments)
          .where(present(commentId))
          .for('share');
        if (comment === undefined) return false;
        await tx.insert(reactions).values({ commentId, emoji, sub }).onConflictDoNothing();
        return true;
      });
    },

    async unreact(commentId: string, emoji: string, sub: string): Promise<void> {
      await drizzle
        .delete(reactions)
        .where(and(eq(reactions.commentId, commentId), eq(reactions.emoji, emoji), eq(reactions.sub, sub)));
    },
  };
}
