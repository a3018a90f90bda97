import type { CommentRequest, ReactionEmoji, Thread, ThreadRequest } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import { type AuditedChange, Conflict, Forbidden, NotFound } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { Caller } from '../callers/caller.ts';
import { requireMembers } from '../directory/members.ts';
import { requireReport } from '../directory/reports.ts';
import { newId } from '../ids/ids.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { Mentions } from '../mentions/mentions.ts';
import type { Language } from '../shares/texts.ts';
import { createListThreads, type ListThreads } from './list.ts';
import { presentThread } from './present.ts';
import { CAPACITY } from './size.ts';
import type { CommentLocation, CommentsStore, Outcome } from './store.ts';

interface CommentsOptions {
  store: CommentsStore;
  directory: Pick<Directory, 'report' | 'members' | 'member'>;
  mentions: Mentions;
  inbox: Pick<Inbox, 'markRead'>;
  clock: Clock;
}

/** The comment threads of reports. Only authors change their comments. */
export interface Comments {
  list: ListThreads;
  /**
   * Messages to the people mentioned are in this language. Throws RateLimited when the limits on messages are
   * exceeded.
   */
  start(
    change: AuditedChange,
    caller: Caller,
    reportId: string,
    request: ThreadRequest,
    language: Language,
  ): Promise<Thread>;
  /** Also throws Conflict when the first comment is deleted or the thread is full. */
  reply(
    change: AuditedChange,
    caller: Caller,
    threadId: string,
    request: CommentRequest,
    language: Language,
  ): Promise<Thread>;
  /**
   * Also throws Forbidden unless the caller is the author, and Conflict when the comment is deleted or the thread
   * is full.
   */
  change(
    change: AuditedChange,
    caller: Caller,
    commentId: string,
    request: CommentRequest,
    language: Language,
  ): Promise<Thread>;
  /** Throws Forbidden unless the caller is the author. */
  remove(change: AuditedChange, caller: Caller, commentId: string): Promise<Thread>;
  resolve(change: AuditedChange, caller: Caller, threadId: string): Promise<Thread>;
  reopen(change: AuditedChange, caller: Caller, threadId: string): Promise<Thread>;
  /** Throws Conflict when the comment is deleted. */
  react(change: AuditedChange, caller: Caller, commentId: string, emoji: ReactionEmoji): Promise<Thread>;
  unreact(change: AuditedChange, caller: Caller, commentId: string, emoji: ReactionEmoji): Promise<Thread>;
}

export function createComments({ store, directory, mentions, inbox, clock }: CommentsOptions): Comments {
  const listThreads = createListThreads({ store, directory });

  async function readAndPresent({ project, person }: Caller, threadId: string): Promise<Thread> {
    const row = await store.readThread(project.id, threadId);
    if (row === undefined) throw new NotFound('Thread not found.');
    return presentThread(directory, { project, person }, row);
  }

  async function requireThread({ project }: Caller, threadId: string): Promise<string> {
    const reportId = await store.findReport(project.id, threadId);
    if (reportId === undefined) throw new NotFound('Thread not found.');
    await requireReport(directory, project.id, reportId);
    return reportId;
  }

  async function requireComment({ project }: Caller, commentId: string): Promise<CommentLocation> {
    const location = await store.find(project.id, commentId);
    if (location === undefined) throw new NotFound('Comment not found.');
    await requireReport(directory, project.id, location.reportId);
    return location;
  }

  function requireAuthor({ person }: Caller, { authorSub }: CommentLocation): void {
    if (authorSub !== person.sub)
      throw new Forbidden('Only the author of a comment may change or delete it.');
  }

  /** Returns the stored fields of a comment, and the messages to the people it mentions. */
  async function written(
    caller: Caller,
    comment: { id: string; reportId: string; language: Language },
    { body, mentions: subs }: CommentRequest,
  ) {
    const mentioned = await requireMembers(directory, caller.project.companyId, subs ?? [], 'mentions');
    const announce = await mentions.prepare(caller, { ...comment, mentioned });
    return { fields: { body, mentions: mentioned.map(({ sub }) => sub) }, announce };
  }

  return {
    async *list(caller, reportId) {
      await requireReport(directory, caller.project.id, reportId);
      await mentions.markSeen(caller, reportId);
      await inbox.markRead(caller, reportId);
      yield* listThreads(caller, reportId);
    },

    async start(change, caller, reportId, { anchor, ...request }, language) {
      const projectId = caller.project.id;
      await requireReport(directory, projectId, reportId);
      const [id, commentId] = [newId('thr'), newId('cmt')];
      change.describe({ object: `comment-thread:${id}` });
      const { fields, announce } = await written(caller, { id: commentId, reportId, language }, request);
      const [createdAt, authorSub] = [clock.now(), caller.person.sub];
      const anchorJson = anchor == null ? null : JSON.stringify(anchor);
      const thread = { id, projectId, reportId, anchor: anchorJson, createdBySub: authorSub, createdAt };
      await store.start(
        thread,
        { ...fields, id: commentId, threadId: id, authorSub, createdAt },
        announce,
        change,
      );
      return readAndPresent(caller, id);
    },

    async reply(change, caller, threadId, request, language) {
      const reportId = await requireThread(caller, threadId);
      const id = newId('cmt');
      const { fields, announce } = await written(caller, { id, reportId, language }, request);
      const comment = { ...fields, id, threadId, authorSub: caller.person.sub, createdAt: clock.now() };
      requireDone(await store.reply(comment, announce, change), noReplies);
      return readAndPresent(caller, threadId);
    },

    async change(change, caller, id, request, language) {
      const comment = await requireComment(caller, id);
      requireAuthor(caller, comment);
      const { threadId, reportId } = comment;
      const { fields, announce } = await written(caller, { id, reportId, language }, request);
      const edit = { ...fields, editedAt: clock.now() };
      requireDone(await store.change({ id, threadId }, edit, announce, change), commentIsDeleted);
      return readAndPresent(caller, threadId);
    },

    async remove(change, caller, commentId) {
      const comment = await requireComment(caller, commentId);
      requireAuthor(caller, comment);
      await store.remove(commentId, clock.now(), change);
      return readAndPresent(caller, comment.threadId);
    },

    async resolve(change, caller, threadId) {
      await requireThread(caller, threadId);
      await store.resolve(threadId, caller.person.sub, clock.now(), change);
      return readAndPresent(caller, threadId);
    },

    async reopen(change, caller, threadId) {
      await requireThread(caller, threadId);
      await store.reopen(threadId, change);
      return readAndPresent(caller, threadId);
    },

    async react(change, caller, commentId, emoji) {
      change.describe({ object: `comment:${commentId}` });
      const { threadId } = await requireComment(caller, commentId);
      if (!(await store.react(commentId, emoji, caller.person.sub, change))) throw commentIsDeleted();
      return readAndPresent(caller, threadId);
    },

    async unreact(change, caller, commentId, emoji) {
      change.describe({ object: `comment:${commentId}` });
      const { threadId } = await requireComment(caller, commentId);
      await store.unreact(commentId, emoji, caller.person.sub, change);
      return readAndPresent(caller, threadId);
    },
  };
}

function requireDone(outcome: Outcome, isDeleted: () => Conflict): void {
  if (outcome === 'deleted') throw isDeleted();
  if (outcome === 'full')
    throw new Conflict(
      `The thread is full: it holds at most ${CAPACITY.comments} comments and ${CAPACITY.bytes} bytes of text. Start a new one.`,
    );
}

const noReplies = () =>
  new Conflict('The first comment of this thread was deleted, so it takes no replies. Start a new thread.');
const commentIsDeleted = () => new Conflict('The comment was deleted.');
