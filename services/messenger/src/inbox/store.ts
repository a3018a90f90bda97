import type { Db, Transactor, Tx } from '@switchboard/database';
import type { Place } from '@switchboard/http';
import { and, desc, eq, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { messageKeys, messages, reads, recipients } from '../schema/index.ts';

const MAX_LISTED = 100;

export interface NewMessage {
  id: string;
  projectId: string;
  title: string;
  body: string;
  createdAt: Date;
  /** Undefined for everyone. */
  distinctIds: readonly string[] | undefined;
  idempotencyKey: string | undefined;
}

export interface InboxRow {
  id: string;
  title: string;
  body: string;
  read: boolean;
  createdAt: Date;
}

type SentRow = Omit<typeof messages.$inferSelect, 'projectId'>;

export interface InboxStore {
  /** Returns the messages of a project that come after a given one, newest first. */
  sent(projectId: string, page: { after: Place | undefined; limit: number }): Promise<SentRow[]>;
  /** Returns the newest 100 messages, newest first. */
  list(projectId: string, distinctId: string): Promise<InboxRow[]>;
  /** The query behind `list`, for tests that explain it. */
  listQuery(projectId: string, distinctId: string): { toSQL(): { sql: string; params: unknown[] } };
  /** Adds a message. Returns its id, or the id of the message that used the idempotency key first. */
  add(message: NewMessage, within: Transactor): Promise<string>;
  /** Marks the message as read. Returns false if it is not in the person's inbox. */
  markRead(projectId: string, distinctId: string, messageId: string): Promise<boolean>;
}

export function createInboxStore(db: Db | Tx): InboxStore {
  function listQuery(projectId: string, distinctId: string) {
    const toEveryone = db
      .select({ id: messages.id, createdAt: messages.createdAt })
      .from(messages)
      .where(and(eq(messages.projectId, projectId), messages.toEveryone))
      .orderBy(desc(messages.createdAt), desc(messages.id))
      .limit(MAX_LISTED);
    const toPerson = db
      .select({ id: recipients.messageId, createdAt: recipients.createdAt })
      .from(recipients)
      .where(and(eq(recipients.projectId, projectId), eq(recipients.distinctId, distinctId)))
      .orderBy(desc(recipients.createdAt), desc(recipients.messageId))
      .limit(MAX_LISTED);
    const newest = unionAll(toEveryone, toPerson).as('newest');
    const isReader = and(
      eq(reads.projectId, projectId),
      eq(reads.distinctId, distinctId),
      eq(reads.messageId, newest.id),
    );
    return db
      .select({
        id: messages.id,
        title: messages.title,
        body: messages.body,
        read: sql<boolean>`${reads.messageId} is not null`,
        createdAt: messages.createdAt,
      })
      .from(newest)
      .innerJoin(messages, eq(messages.id, newest.id))
      .leftJoin(reads, isReader)
      .orderBy(desc(newest.createdAt), desc(newest.id))
      .limit(MAX_LISTED);
  }

  return {
    sent(projectId, { after, limit }) {
      const { id, title, body, toEveryone, createdAt } = messages;
      const isAfter =
        after && sql`(${createdAt}, ${id}) < (${after.at.toISOString()}::timestamptz, ${after.id})`;
      return db
        .select({ id, title, body, toEveryone, createdAt })
        .from(messages)
        .where(and(eq(messages.projectId, projectId), isAfter))
        .orderBy(desc(createdAt), desc(id))
        .limit(limit);
    },

    listQuery,
    list: async (projectId, distinctId) => listQuery(projectId, distinctId),

    async add({ distinctIds, idempotencyKey, ...message }, within) {
      return within.transaction(async (tx) => {
        const { id, projectId } = message;
        if (idempotencyKey !== undefined) {
          // If two transactions have the same key, the later one waits here for the earlier one.
          await tx.execute(
            sql`select pg_advisory_xact_lock(hashtextextended(${`${projectId}\n${idempotencyKey}`}, 2))`,
          );
          const [first] = await tx
            .select({ id: messageKeys.messageId })
            .from(messageKeys)
            .where(and(eq(messageKeys.projectId, projectId), eq(messageKeys.idempotencyKey, idempotencyKey)));
          if (first !== undefined) return first.id;
        }
        await tx.insert(messages).values({ ...message, toEveryone: distinctIds === undefined });
        if (idempotencyKey !== undefined) {
          await tx.insert(messageKeys).values({ projectId, idempotencyKey, messageId: id });
        }
        if (distinctIds === undefined) return id;
        await tx.execute(sql`
          insert into ${recipients} (project_id, distinct_id, created_at, message_id)
          select ${message.projectId}, distinct_id, ${message.createdAt.toISOString()}::timestamptz, ${message.id}
          from unnest(${sql.param(distinctIds)}::text[]) as wanted(distinct_id)
          on conflict do nothing`);
        return id;
      });
    },

    async markRead(projectId, distinctId, messageId) {
      const rows = await db.execute(sql`
        with found as (
          select id from ${messages}
          where id = ${messageId} and project_id = ${projectId} and (to_everyone or exists (
            select from ${recipients}
            where project_id = ${projectId} and distinct_id = ${distinctId}
              and recipients.created_at = messages.created_at and message_id = messages.id))
        ), marked as (
          insert into ${reads} (project_id, distinct_id, message_id)
          select ${projectId}, ${distinctId}, id from found
          on conflict do nothing
        )
        select from found`);
      return rows.length > 0;
    },
  };
}
