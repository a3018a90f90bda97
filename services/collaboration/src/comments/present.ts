import { anchor, type Comment, reactionEmojis, type Thread } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import type { Caller } from '../caller.ts';
import { namesOf } from '../members.ts';
import type { ThreadRow } from './read.ts';

type CommentRow = ThreadRow['comments'][number];

/** Threads as the interface answers them, in the eyes of the caller. */
export async function presentThreads(
  directory: Pick<Directory, 'members'>,
  caller: Caller,
  rows: ThreadRow[],
): Promise<Thread[]> {
  const authors = rows.flatMap((row) => row.comments.map(({ authorSub }) => authorSub));
  const names = await namesOf(directory, caller.project.companyId, authors);
  return rows.map(({ thread, comments }) => ({
    id: thread.id,
    reportId: thread.reportId,
    anchor: thread.anchor === null ? null : anchor.parse(JSON.parse(thread.anchor)),
    resolved: thread.resolvedAt !== null,
    resolvedAt: thread.resolvedAt?.toISOString() ?? null,
    resolvedBySub: thread.resolvedBySub,
    createdBySub: thread.createdBySub,
    createdAt: thread.createdAt.toISOString(),
    comments: comments.map((comment) => presentComment(caller, names, comment)),
  }));
}

function presentComment(caller: Caller, names: ReadonlyMap<string, string>, comment: CommentRow): Comment {
  const isDeleted = comment.deletedAt !== null;
  return {
    id: comment.id,
    threadId: comment.threadId,
    body: comment.body,
    mentions: comment.mentions,
    authorSub: comment.authorSub,
    authorName: names.get(comment.authorSub) ?? null,
    createdAt: comment.createdAt.toISOString(),
    editedAt: comment.editedAt?.toISOString() ?? null,
    deleted: isDeleted,
    canChange: !isDeleted && comment.authorSub === caller.person.sub,
    reactions: reactionEmojis.flatMap((emoji) => {
      const reaction = comment.reactions.find((row) => row.emoji === emoji);
      return reaction ? [{ emoji, count: reaction.count, reactedByMe: reaction.mine }] : [];
    }),
  };
}
