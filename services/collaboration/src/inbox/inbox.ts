import { anchor, type ThreadSummary } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import type { Clock } from '@switchboard/runtime';
import type { Caller } from '../callers/caller.ts';
import { namesOf } from '../directory/members.ts';
import type { InboxRow, InboxStore } from './store.ts';

const MAX_THREADS = 100;
const DAYS = 90;
const DAY_MS = 86_400_000;
/** Pages repeat the list of threads while they are open. A mark is as old as this before it is replaced. */
const MARK_MS = 5_000;

interface InboxOptions {
  store: InboxStore;
  directory: Pick<Directory, 'report' | 'members'>;
  clock: Clock;
}

type ProjectOfCompany = Pick<Caller['project'], 'id' | 'companyId'>;

/** The threads that concern a person, and those that they have read. */
export interface Inbox {
  list(caller: Caller): Promise<{ unread: number; threads: ThreadSummary[] }>;
  /** Returns the unread threads with a comment by another person since a time, the latest first. */
  unread(project: ProjectOfCompany, sub: string, since: Date): Promise<ThreadSummary[]>;
  /** Records that the person lists the threads of a report. Throws NotFound. */
  markRead(caller: Caller, reportId: string): Promise<void>;
}

export function createInbox({ store, directory, clock }: InboxOptions): Inbox {
  async function threadsSince(project: ProjectOfCompany, sub: string, since: Date): Promise<ThreadSummary[]> {
    const rows = await store.list({ projectId: project.id, sub }, since, MAX_THREADS);
    const authors = rows.map(({ lastAuthorSub }) => lastAuthorSub);
    const names = await namesOf(directory, project.companyId, authors);
    const ids = [...new Set(rows.map(({ reportId }) => reportId))];
    const reports = new Map<string, string>();
    for (const id of ids) {
      const report = await directory.report(project.id, id);
      if (report !== undefined) reports.set(id, report.name);
    }
    return rows.flatMap((row) => {
      const reportName = reports.get(row.reportId);
      return reportName === undefined ? [] : [present(row, reportName, names)];
    });
  }

  return {
    async list({ project, person }) {
      const since = new Date(clock.now().getTime() - DAYS * DAY_MS);
      const threads = await threadsSince(project, person.sub, since);
      return { unread: threads.filter(({ unread }) => unread).length, threads };
    },

    async unread(project, sub, since) {
      return (await threadsSince(project, sub, since)).filter(({ unread }) => unread);
    },

    async markRead({ project, person }, reportId) {
      const reader = { projectId: project.id, reportId, sub: person.sub };
      const now = clock.now();
      const before = await store.readAt(reader);
      if (before !== undefined && now.getTime() - before.getTime() < MARK_MS) return;
      await store.saveRead(reader, now);
    },
  };
}

function present(row: InboxRow, reportName: string, names: ReadonlyMap<string, string>): ThreadSummary {
  return {
    id: row.id,
    reportId: row.reportId,
    reportName,
    anchor: row.anchor === null ? null : anchor.parse(JSON.parse(row.anchor)),
    concern: row.isMention ? 'mention' : 'reply',
    unread: row.isUnread,
    resolved: row.isResolved,
    comments: row.comments,
    last: {
      id: row.lastId,
      authorSub: row.lastAuthorSub,
      authorName: names.get(row.lastAuthorSub) ?? null,
      text: row.lastText,
      createdAt: row.lastAt,
    },
  };
}
