import { anchor, type Comment, reactionEmojis, type Thread } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import type { Caller } from '../callers/caller.ts';
import { namesOf } from '../directory/members.ts';
import type { CommentRow, ReactionRow, ThreadRow } from './store.ts';

/** Threads in the form of the API, for this caller. */
export async function presentThreads(
  directory: Pick<Directory, 'members'>,
  caller: Caller,
  rows: ThreadRow[],
): Promise<Thread[]> {
  const authors = new Set(rows.flatMap(({ comments }) => comments.map(({ authorSub }) => authorSub)));
  const names = await namesOf(directory, caller.project.companyId, authors);
  const { sub } = caller.person;
  return rows.map(({ thread, comments }) => ({
    id: thread.id,
    reportId: thread.reportId,
    anchor: thread.anchor === null ? null : anchor.parse(JSON.parse(thread.anchor)),
    resolved: thread.resolvedAt !== null,
    resolvedAt: thread.resolvedAt?.toISOString() ?? null,
    resolvedBySub: thread.resolvedBySub,
    createdBySub: thread.createdBySub,
    createdAt: thread.createdAt.toISOString(),
    comments: comments.map((comment) => presentComment(sub, names, thread.id, comment)),
  }));
}

function presentComment(
  sub: string,
  names: ReadonlyMap<string, string>,
  threadId: string,
  { id, body, mentions, authorSub, isDeleted, ...comment }: CommentRow,
): Comment {
  return {
    id,
    threadId,
    body,
    mentions,
    authorSub,
    authorName: names.get(authorSub) ?? null,
    createdAt: isoTime(comment.createdAt),
    editedAt: isoTime(comment.editedAt),
    deleted: isDeleted,
    canChange: !isDeleted && authorSub === sub,
    reactions: comment.reactions.length === 0 ? [] : presentReactions(comment.reactions),
  };
}

const presentReactions = (rows: ReactionRow[]) =>
  reactionEmojis.flatMap((emoji) => {
    const row = rows.find((one) => one.emoji === emoji);
    return row ? [{ emoji, count: row.count, reactedByMe: row.mine }] : [];
  });

function isoTime(time: string): string;
function isoTime(time: string | null): string | null;
function isoTime(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
