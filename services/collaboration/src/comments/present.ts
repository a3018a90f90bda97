import { setImmediate as turn } from 'node:timers/promises';
import { anchor, type Comment, reactionEmojis, type Thread } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import type { Caller } from '../callers/caller.ts';
import { namesOf } from '../directory/members.ts';
import type { CommentRow, ReactionRow, ThreadRow } from './store.ts';

/** Comments that are written in one turn of the event loop, which takes about 2 ms. */
const COMMENTS_PER_TURN = 500;

type Names = ReadonlyMap<string, string>;

/** A thread in the form of the API, for this caller. */
export async function presentThread(
  directory: Pick<Directory, 'members'>,
  caller: Caller,
  row: ThreadRow,
): Promise<Thread> {
  const names = await namesOfAuthors(directory, caller, [row]);
  return {
    ...threadFields(row),
    comments: row.comments.map((comment) => presentComment(caller, names, row, comment)),
  };
}

/**
 * The JSON of a list of threads, as `presentThread` has them. Made of text, which takes a third of the time and memory
 * of objects; between pages, other requests get their turn.
 */
export async function writeThreads(
  directory: Pick<Directory, 'members'>,
  caller: Caller,
  rows: ThreadRow[],
): Promise<Uint8Array<ArrayBuffer>> {
  const names = await namesOfAuthors(directory, caller, rows);
  const pages: Buffer[] = [];
  let page = '{"threads":[';
  let written = 0;
  for (const [index, row] of rows.entries()) {
    const threadId = JSON.stringify(row.thread.id);
    page += `${index === 0 ? '' : ','}${JSON.stringify(threadFields(row)).slice(0, -1)},"comments":[`;
    for (const [place, comment] of row.comments.entries()) {
      page += `${place === 0 ? '' : ','}${writeComment(caller, names, threadId, comment)}`;
      page += `,"reactions":${writeReactions(reactionsTo(row, comment))}}`;
      written += 1;
      if (written % COMMENTS_PER_TURN > 0) continue;
      pages.push(Buffer.from(page));
      page = '';
      await turn();
    }
    page += ']}';
  }
  return Buffer.concat([...pages, Buffer.from(`${page}]}`)]);
}

async function namesOfAuthors(
  directory: Pick<Directory, 'members'>,
  { project }: Caller,
  rows: ThreadRow[],
): Promise<Names> {
  const authors = new Set<string>();
  for (const { comments } of rows) for (const { authorSub } of comments) authors.add(authorSub);
  return namesOf(directory, project.companyId, authors);
}

function threadFields({ thread }: ThreadRow): Omit<Thread, 'comments'> {
  return {
    id: thread.id,
    reportId: thread.reportId,
    anchor: thread.anchor === null ? null : anchor.parse(JSON.parse(thread.anchor)),
    resolved: thread.resolvedAt !== null,
    resolvedAt: thread.resolvedAt?.toISOString() ?? null,
    resolvedBySub: thread.resolvedBySub,
    createdBySub: thread.createdBySub,
    createdAt: thread.createdAt.toISOString(),
  };
}

function presentComment(caller: Caller, names: Names, row: ThreadRow, comment: CommentRow): Comment {
  return {
    id: comment.id,
    threadId: row.thread.id,
    body: comment.body,
    mentions: comment.mentions ?? [],
    authorSub: comment.authorSub,
    authorName: names.get(comment.authorSub) ?? null,
    createdAt: isoTime(comment.createdAt),
    editedAt: comment.editedAt === null ? null : isoTime(comment.editedAt),
    deleted: comment.isDeleted,
    canChange: mayChange(caller, comment),
    reactions: sorted(reactionsTo(row, comment)).map(({ emoji, count, mine }) => ({
      emoji,
      count,
      reactedByMe: mine,
    })),
  };
}

/** The JSON of a comment up to its reactions. */
function writeComment(caller: Caller, names: Names, threadId: string, comment: CommentRow): string {
  const { id, body, mentions, authorSub, createdAt, editedAt, isDeleted } = comment;
  const edited = editedAt === null ? 'null' : `"${isoTime(editedAt)}"`;
  return (
    `{"id":${JSON.stringify(id)},"threadId":${threadId},"body":${JSON.stringify(body)}` +
    `,"mentions":${mentions === null ? '[]' : JSON.stringify(mentions)}` +
    `,"authorSub":${JSON.stringify(authorSub)},"authorName":${JSON.stringify(names.get(authorSub) ?? null)}` +
    `,"createdAt":"${isoTime(createdAt)}","editedAt":${edited}` +
    `,"deleted":${isDeleted},"canChange":${mayChange(caller, comment)}`
  );
}

const mayChange = ({ person }: Caller, { isDeleted, authorSub }: CommentRow) =>
  !isDeleted && authorSub === person.sub;

const NONE: ReactionRow[] = [];

const reactionsTo = ({ reactions }: ThreadRow, { position, isDeleted }: CommentRow) =>
  (isDeleted ? undefined : reactions.get(position)) ?? NONE;

const ORDER: ReadonlyMap<string, number> = new Map(reactionEmojis.map((emoji, index) => [emoji, index]));

const sorted = (rows: ReactionRow[]) =>
  rows.length < 2
    ? rows
    : rows.toSorted((one, other) => (ORDER.get(one.emoji) ?? 0) - (ORDER.get(other.emoji) ?? 0));

const NON_ASCII = /[\u0080-\uffff]/g;
const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** In ASCII: one emoji in a page would double the memory of the page, and the time to write it. */
const EMOJI_JSON: ReadonlyMap<string, string> = new Map(
  reactionEmojis.map((emoji) => [emoji, JSON.stringify(emoji).replaceAll(NON_ASCII, escaped)]),
);

function writeReactions(rows: ReactionRow[]): string {
  let text = '[';
  for (const { emoji, count, mine } of sorted(rows)) {
    const separator = text.length > 1 ? ',' : '';
    text += `${separator}{"emoji":${EMOJI_JSON.get(emoji)},"count":${count},"reactedByMe":${mine}}`;
  }
  return `${text}]`;
}

/** Twenty times as fast as parsing and formatting a Date, for a time in UTC. */
function isoTime(time: string): string {
  const isKnownForm = time.endsWith('+00') && time.length <= LONGEST_TIME && time[10] === ' ';
  if (!isKnownForm) return new Date(time).toISOString();
  const fraction = time.slice(20, -3).padEnd(3, '0');
  return `${time.slice(0, 10)}T${time.slice(11, 19)}.${fraction}Z`;
}

const LONGEST_TIME = '2026-03-01 09:30:00.123+00'.length;
