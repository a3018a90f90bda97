import type { Db, Transactor, Tx } from '@switchboard/database';
import type { Place } from '@switchboard/http';
import { and, desc, eq, inArray, lte, sql } from 'drizzle-orm';
import { union } from 'drizzle-orm/pg-core';
import { messageKeys, messages, personIds, reads, recipients } from '../schema/index.ts';

const MAX_LISTED = 100;
const MAX_ANNOUNCED = 20_000;
const MAX_COUNTED = 10_000;

export interface NewMessage {
  id: string;
  projectId: string;
  title: string;
  body: string;
  createdAt: Date;
  /** Whether `createdAt` is in the future. */
  isWaiting: boolean;
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

interface SentRow extends Omit<InboxRow, 'read'> {
  toEveryone: boolean;
  recipients: number | null;
  reads: number;
}

/** A message that became due. */
interface DueMessage {
  id: string;
  projectId: string;
  /** Undefined for everyone. */
  distinctIds: string[] | undefined;
}

export interface InboxStore {
  /** Returns the messages of a project that come after a given one, newest first. */
  sent(projectId: string, page: { after: Place | undefined; limit: number }): Promise<SentRow[]>;
  /** Returns the newest 100 messages sent until `now` to any of a person's distinct ids, newest first. */
  list(projectId: string, distinctIds: readonly string[], now: Date): Promise<InboxRow[]>;
  /** The query behind `list`, for tests that explain it. */
  listQuery(
    projectId: string,
    distinctIds: readonly string[],
    now: Date,
  ): { toSQL(): { sql: string; params: unknown[] } };
  /** Adds a message. Returns its id, or the id of the message that used the idempotency key first. */
  add(message: NewMessage, within: Transactor): Promise<string>;
  /** Returns all distinct ids of the persons of distinct ids, at most 20,000. */
  idsOfAll(projectId: string, distinctIds: readonly string[]): Promise<string[]>;
  /**
   * Marks the message as read by a distinct id. Returns false if the message is to none of the ids of its person.
   */
  markRead(
    projectId: string,
    distinctId: string,
    distinctIds: readonly string[],
    messageId: string,
    now: Date,
  ): Promise<boolean>;
  /** Marks up to `limit` scheduled messages as sent that are due, and returns them. */
  takeDue(now: Date, limit: number): Promise<DueMessage[]>;
  /** Removes a message that is not sent yet. Returns its state before. */
  cancel(
    projectId: string,
    messageId: string,
    now: Date,
    within: Transactor,
  ): Promise<'scheduled' | 'sent' | undefined>;
}

export function createInboxStore(db: Db | Tx): InboxStore {
  function listQuery(projectId: string, distinctIds: readonly string[], now: Date) {
    const ids = sql`unnest(${sql.param([...distinctIds])}::text[]) as ids(id)`;
    const toEveryone = db
      .select({ id: messages.id, createdAt: messages.createdAt })
      .from(messages)
      .where(and(eq(messages.projectId, projectId), messages.toEveryone, lte(messages.createdAt, now)))
      .orderBy(desc(messages.createdAt), desc(messages.id))
      .limit(MAX_LISTED);
    const toId = db
      .select({ id: recipients.messageId, createdAt: recipients.createdAt })
      .from(recipients)
      .where(
        and(
          eq(recipients.projectId, projectId),
          sql`${recipients.distinctId} = ids.id`,
          lte(recipients.createdAt, now),
        ),
      )
      .orderBy(desc(recipients.createdAt), desc(recipients.messageId))
      .limit(MAX_LISTED)
      .as('to_id');
    const toPerson = db
      .selectDistinct({ id: toId.id, createdAt: toId.createdAt })
      .from(ids)
      .crossJoinLateral(toId)
      .orderBy(desc(toId.createdAt), desc(toId.id))
      .limit(MAX_LISTED);
    // A message to two ids of a person is listed once.
    const all = union(toEveryone, toPerson).as('all_messages');
    const newest = db
      .$with('newest')
      .as(
        db
          .select({ id: all.id, createdAt: all.createdAt })
          .from(all)
          .orderBy(desc(all.createdAt), desc(all.id))
          .limit(MAX_LISTED),
      );
    // One scan for all messages, not one for each of them.
    const read = db.$with('read_by_any').as(
      db
        .selectDistinct({ messageId: reads.messageId })
        .from(reads)
        .where(
          and(
            eq(reads.projectId, projectId),
            sql`${reads.distinctId} = any(${sql.param([...distinctIds])}::text[])`,
            sql`${reads.messageId} = any(array(select id from newest))`,
          ),
        ),
    );
    // The limit keeps PostgreSQL from reading every message of a small table.
    const message = db.select().from(messages).where(eq(messages.id, newest.id)).limit(1).as('message');
    return db
      .with(newest, read)
      .select({
        id: message.id,
        title: message.title,
        body: message.body,
        read: sql<boolean>`${read.messageId} is not null`,
        createdAt: message.createdAt,
      })
      .from(newest)
      .crossJoinLateral(message)
      .leftJoin(read, eq(read.messageId, newest.id))
      .orderBy(desc(newest.createdAt), desc(newest.id));
  }

  return {
    sent(projectId, { after, limit }) {
      const { id, title, body, toEveryone, createdAt } = messages;
      const isAfter =
        after && sql`(${createdAt}, ${id}) < (${after.at.toISOString()}::timestamptz, ${after.id})`;
      return db
        .select({
          ...{ id, title, body, toEveryone, createdAt, recipients: messages.recipientCount },
          reads: sql<number>`(
            select count(*)::int from (
              select from ${reads} where ${reads.messageId} = ${id} limit ${MAX_COUNTED}
            ) counted)`,
        })
        .from(messages)
        .where(and(eq(messages.projectId, projectId), isAfter))
        .orderBy(desc(createdAt), desc(id))
        .limit(limit);
    },

    listQuery,
    list: async (projectId, distinctIds, now) => listQuery(projectId, distinctIds, now),

    async idsOfAll(projectId, distinctIds) {
      const rows = await db.execute<{ id: string }>(sql`
        with persons as (
          select distinct coalesce(person_id, id) as id
          from unnest(${sql.param([...distinctIds])}::text[]) as given(id)
          left join ${personIds} on project_id = ${projectId} and distinct_id = given.id
        )
        select id from persons
        union all
        select distinct_id from ${personIds} join persons on person_id = persons.id
        where project_id = ${projectId}
        limit ${MAX_ANNOUNCED}`);
      return rows.map(({ id }) => id);
    },

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
        const toEveryone = distinctIds === undefined;
        const recipientCount = toEveryone ? null : new Set(distinctIds).size;
        await tx.insert(messages).values({ ...message, toEveryone, recipientCount });
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

    async markRead(projectId, distinctId, distinctIds, messageId, now) {
      const rows = await db.execute(sql`
        with found as (
          select id from ${messages}
          where id = ${messageId} and project_id = ${projectId}
            and created_at <= ${now.toISOString()}::timestamptz and (to_everyone or exists (
            select from ${recipients}
            where project_id = ${projectId} and distinct_id = any(${sql.param([...distinctIds])}::text[])
              and recipients.created_at = messages.created_at and message_id = messages.id))
        ), marked as (
          insert into ${reads} (project_id, distinct_id, message_id)
          select ${projectId}, ${distinctId}, id from found
          on conflict do nothing
        )
        select from found`);
      return rows.length > 0;
    },

    async takeDue(now, limit) {
      const isDue = and(messages.isWaiting, lte(messages.createdAt, now));
      // Most looks find nothing: one statement shows that, where the transaction takes three.
      if ((await db.select({ id: messages.id }).from(messages).where(isDue).limit(1)).length === 0) return [];
      return db.transaction(async (tx) => {
        const due = tx
          .select({ id: messages.id })
          .from(messages)
          .where(isDue)
          .orderBy(messages.createdAt)
          .limit(limit)
          .for('update', { skipLocked: true });
        const { id, projectId, toEveryone } = messages;
        const taken = await tx
          .update(messages)
          .set({ isWaiting: false })
          .where(inArray(id, due))
          .returning({ id, projectId, toEveryone });
        const found: DueMessage[] = [];
        for (const { toEveryone: isToAll, ...message } of taken) {
          const rows = isToAll
            ? undefined
            : await tx
                .select({ distinctId: recipients.distinctId })
                .from(recipients)
                .where(eq(recipients.messageId, message.id))
                .limit(MAX_ANNOUNCED);
          found.push({ ...message, distinctIds: rows?.map(({ distinctId }) => distinctId) });
        }
        return found;
      });
    },

    async cancel(projectId, messageId, now, within) {
      return within.transaction(async (tx) => {
        const [found] = await tx
          .select({ createdAt: messages.createdAt })
          .from(messages)
          .where(and(eq(messages.projectId, projectId), eq(messages.id, messageId)))
          .for('update');
        if (found === undefined) return undefined;
        if (found.createdAt <= now) return 'sent';
        for (const table of [recipients, messageKeys])
          await tx.delete(table).where(eq(table.messageId, messageId));
        await tx.delete(messages).where(eq(messages.id, messageId));
        return 'scheduled';
      });
    },
  };
}
