import type { CommentRequest, ReactionEmoji, Thread, ThreadRequest } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import { type Clock, Conflict, Forbidden, NotFound } from '@switchboard/service-kit';
import type { Caller } from '../caller.ts';
import { newId } from '../ids.ts';
import { requireMembers } from '../members.ts';
import { requireReport } from '../reports.ts';
import { presentThreads } from './present.ts';
import type { createThreadReader } from './read.ts';
import type { CommentPlace, CommentStore } from './store.ts';

interface ThreadsOptions {
  store: CommentStore;
  reader: ReturnType<typeof createThreadReader>;
  directory: Pick<Directory, 'report' | 'members'>;
  clock: Clock;
}

export type Threads = ReturnType<typeof createThreads>;

/** Who may do what in the comment threads of reports. Any member may start, reply, resolve, reopen and react. */
export function createThreads({ store, reader, directory, clock }: ThreadsOptions) {
  async function answer({ project, person }: Caller, threadId: string): Promise<Thread> {
    const row = await reader.one(project.id, threadId, person.sub);
    const [thread] = row ? await presentThreads(directory, { project, person }, [row]) : [];
    if (thread === undefined) throw new NotFound('There is no such thread in this project.');
    return thread;
  }

  async function requireThread({ project }: Caller, threadId: string): Promise<void> {
    const reportId = await store.reportOf(project.id, threadId);
    if (reportId === undefined) throw new NotFound('There is no such thread in this project.');
    await requireReport(directory, project.id, reportId);
  }

  async function requireComment({ project }: Caller, commentId: string): Promise<CommentPlace> {
    const place = await store.find(project.id, commentId);
    if (place === undefined) throw new NotFound('There is no such comment in this project.');
    await requireReport(directory, project.id, place.reportId);
    return place;
  }

  function requireAuthor({ person }: Caller, { authorSub }: CommentPlace): void {
    if (authorSub !== person.sub) throw new Forbidden('A comment is open to its author alone.');
  }

  async function mentioned({ project }: Caller, mentions: CommentRequest['mentions']): Promise<string[]> {
    const members = await requireMembers(directory, project.companyId, mentions ?? [], 'mentions');
    return members.map(({ sub }) => sub);
  }

  async function newComment(caller: Caller, threadId: string, { body, mentions }: CommentRequest) {
    return {
      id: newId('cmt'),
      threadId,
      body,
      mentions: await mentioned(caller, mentions),
      authorSub: caller.person.sub,
      createdAt: clock.now(),
    };
  }

  return {
    async list(caller: Caller, reportId: string): Promise<Thread[]> {
      await requireReport(directory, caller.project.id, reportId);
      const rows = await reader.ofReport(caller.project.id, reportId, caller.person.sub);
      return presentThreads(directory, caller, rows);
    },

    async start(caller: Caller, reportId: string, { anchor, ...asked }: ThreadRequest): Promise<Thread> {
      const projectId = caller.project.id;
      await requireReport(directory, projectId, reportId);
      const id = newId('thr');
      const first = await newComment(caller, id, asked);
      const { createdAt, authorSub: createdBySub } = first;
      const about = anchor == null ? null : JSON.stringify(anchor);
      await store.start({ id, projectId, reportId, anchor: about, createdBySub, createdAt }, first);
      return answer(caller, id);
    },

    async reply(caller: Caller, threadId: string, asked: CommentRequest): Promise<Thread> {
      await requireThread(caller, threadId);
      const isAdded = await store.reply(await newComment(caller, threadId, asked));
      if (!isAdded) throw new Conflict('The first comment is deleted: the thread takes no replies.');
      return answer(caller, threadId);
    },

    async change(caller: Caller, commentId: string, { body, mentions }: CommentRequest): Promise<Thread> {
      const comment = await requireComment(caller, commentId);
      requireAuthor(caller, comment);
      const change = { body, mentions: await mentioned(caller, mentions), editedAt: clock.now() };
      if (!(await store.change(commentId, change))) throw commentIsDeleted();
      return answer(caller, comment.threadId);
    },

    async remove(caller: Caller, commentId: string): Promise<Thread> {
      const comment = await requireComment(caller, commentId);
      requireAuthor(caller, comment);
      await store.remove(commentId, clock.now());
      return answer(caller, comment.threadId);
    },

    async resolve(caller: Caller, threadId: string): Promise<Thread> {
      await requireThread(caller, threadId);
      await store.resolve(threadId, caller.person.sub, clock.now());
      return answer(caller, threadId);
    },

    async reopen(caller: Caller, threadId: string): Promise<Thread> {
      await requireThread(caller, threadId);
      await store.reopen(threadId);
      return answer(caller, threadId);
    },

    async react(caller: Caller, commentId: string, emoji: ReactionEmoji): Promise<Thread> {
      const { threadId } = await requireComment(caller, commentId);
      if (!(await store.react(commentId, emoji, caller.person.sub))) throw commentIsDeleted();
      return answer(caller, threadId);
    },

    async unreact(caller: Caller, commentId: string, emoji: ReactionEmoji): Promise<Thread> {
      const { threadId } = await requireComment(caller, commentId);
      await store.unreact(commentId, emoji, caller.person.sub);
      return answer(caller, threadId);
    },
  };
}

const commentIsDeleted = () => new Conflict('The comment is deleted.');
