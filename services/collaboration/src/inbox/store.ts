import type { Db } from '@switchboard/database';
import { and, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { requireHeldReport } from '../directory/reports.ts';
import { comments, threadReads, threads } from '../schema/index.ts';

/** A thread that concerns a person, with its last comment by another person. */
const inboxRow = z.object({
  id: z.string(),
  reportId: z.string(),
  /** JSON. Null: the whole report. */
  anchor: z.string().nullable(),
  isMention: z.boolean(),
  isUnread: z.boolean(),
  isResolved: z.boolean(),
  comments: z.number(),
  lastId: z.string(),
  lastAuthorSub: z.string(),
  lastText: z.string(),
  lastAt: z.string(),
});
export type InboxRow = z.infer<typeof inboxRow>;

const rows = z.array(inboxRow);

interface Reader {
  projectId: string;
  reportId: string;
  sub: string;
}

export interface InboxStore {
  /** Returns up to `limit` threads with a comment by another person since a time, unread ones first, then the latest. */
  list(person: { projectId: string; sub: string }, since: Date, limit: number): Promise<InboxRow[]>;
  /** Returns when a person last listed the threads of a report. */
  readAt(reader: Reader): Promise<Date | undefined>;
  /** Throws NotFound when the report no longer exists. */
  saveRead(reader: Reader, readAt: Date): Promise<void>;
}

/** The latest comments by a person, and those that mention them, by which threads are found. */
const MAX_COMMENTS = 1_000;
const TEXT_LENGTH = 300;

export function createInboxStore(db: Db): InboxStore {
  return {
    async list({ projectId, sub }, since, limit) {
      const latest = sql`order by created_at desc limit ${MAX_COMMENTS}`;
      const found = await db.execute(sql`
        with found as (
          (select thread_id, false as is_mention from ${comments} where author_sub = ${sub} ${latest})
          union all
          (select thread_id, true from ${comments} where mentions @> array[${sub}]::text[] ${latest})
        ), concerned as (
          select thread_id, bool_or(is_mention) as is_mention from found group by thread_id
        ), listed as (
          select thread.id, thread.report_id as "reportId", thread.anchor, concerned.is_mention as "isMention",
            thread.resolved_at is not null as "isResolved",
            thread.resolved_at is null and last.created_at > coalesce(reads.read_at, '-infinity') as "isUnread",
            (select max(position) from ${comments} where thread_id = thread.id) as comments,
            last.id as "lastId", last.author_sub as "lastAuthorSub", last.text as "lastText",
            last.created_at as at
          from concerned
            join ${threads} as thread on thread.id = concerned.thread_id and thread.project_id = ${projectId}
            left join ${threadReads} as reads on reads.project_id = thread.project_id
              and reads.report_id = thread.report_id and reads.sub = ${sub}
            cross join lateral (
              select id, author_sub, left(body, ${TEXT_LENGTH}) as text, created_at from ${comments}
              where thread_id = thread.id and author_sub <> ${sub} and deleted_at is null
              order by position desc limit 1) as last
          where last.created_at >= ${since.toISOString()}::timestamptz
        )
        select *, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "lastAt"
        from listed order by "isUnread" desc, at desc, id limit ${limit}`);
      return rows.parse([...found]);
    },

    async readAt(reader) {
      const [row] = await db.select({ readAt: threadReads.readAt }).from(threadReads).where(named(reader));
      return row?.readAt;
    },

    async saveRead(reader, readAt) {
      await db.transaction(async (tx) => {
        await requireHeldReport(tx, reader.projectId, reader.reportId);
        await tx
          .insert(threadReads)
          .values({ ...reader, readAt })
          .onConflictDoUpdate({
            target: [threadReads.projectId, threadReads.reportId, threadReads.sub],
            set: { readAt: sql`greatest(${threadReads.readAt}, excluded.read_at)` },
          });
      });
    },
  };
}

const named = ({ projectId, reportId, sub }: Reader) =>
  and(eq(threadReads.projectId, projectId), eq(threadReads.reportId, reportId), eq(threadReads.sub, sub));
