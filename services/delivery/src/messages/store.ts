import type { WebhookMessageState } from '@switchboard/contracts';
import type { Db, Transactor, Tx } from '@switchboard/database';
import { and, asc, desc, eq, gte, type InferSelectModel, lt, sql } from 'drizzle-orm';
import { attempts, messages, webhooks } from '../schema/index.ts';

/** The maximum number of messages of a webhook that wait. Later ones are discarded, which keeps the order. */
export const MAX_WAITING = 10_000;
/** The maximum number of other messages of a webhook that are kept. The oldest are removed. */
const MAX_KEPT = 10_000;
const REMOVED_AT_ONCE = 1_000;
const ROWS_PER_STATEMENT = 500;

type MessageRow = InferSelectModel<typeof messages>;
export type ListedMessage = Omit<MessageRow, 'body'> & { lastStatus: number | null };
export type AttemptRow = InferSelectModel<typeof attempts>;

export interface NewMessage {
  id: string;
  type: string;
  subject: string;
  body: string;
}

export interface WebhookKey {
  projectId: string;
  webhookId: string;
}

export interface MessagesStore {
  /**
   * Queues messages of a webhook, in this order. A message that exists is unchanged. Returns the number that were
   * discarded because too many wait.
   */
  add(key: WebhookKey, rows: readonly NewMessage[], now: Date, within?: Transactor): Promise<number>;
  /** Returns messages, newest first. */
  list(
    key: WebhookKey,
    state: WebhookMessageState | undefined,
    before: bigint | undefined,
    limit: number,
  ): Promise<ListedMessage[]>;
  get(key: WebhookKey, id: string): Promise<MessageRow | undefined>;
  attemptsOf(seq: bigint): Promise<AttemptRow[]>;
  /** Queues one message again, or those of a range, the oldest first. Returns how many. */
  replay(key: WebhookKey, selection: ReplaySelection, now: Date, within: Transactor): Promise<number>;
}

/** One message, or those that were created in a range. */
export type ReplaySelection = { messageId: string } | { from: Date; to: Date; failedAlone: boolean };

export function createMessagesStore(db: Db | Tx): MessagesStore {
  const of = ({ projectId, webhookId }: WebhookKey) =>
    and(eq(messages.projectId, projectId), eq(messages.webhookId, webhookId));
  const lastStatus = sql<number | null>`(
    select status from ${attempts} where attempts.message_seq = messages.seq order by attempts.id desc limit 1)`;

  /** Returns how many more messages may wait. */
  async function room(tx: Tx, key: WebhookKey): Promise<number> {
    const waiting = tx
      .select({ seq: messages.seq })
      .from(messages)
      .where(and(of(key), eq(messages.state, 'waiting')))
      .limit(MAX_WAITING)
      .as('waiting');
    return MAX_WAITING - (await tx.$count(waiting));
  }

  async function removeOldest(tx: Tx, key: WebhookKey): Promise<void> {
    await tx.execute(sql`
      delete from ${messages} where seq in (
        select seq from ${messages} where ${of(key)} and state <> 'waiting'
        order by seq desc offset ${MAX_KEPT} limit ${REMOVED_AT_ONCE})`);
  }

  return {
    add: (key, rows, now, within = db) =>
      within.transaction(async (tx) => {
        // Locks the webhook, which may be deleted, and against another consumer that adds messages.
        const isHere = and(eq(webhooks.projectId, key.projectId), eq(webhooks.id, key.webhookId));
        const found = await tx.select({ id: webhooks.id }).from(webhooks).where(isHere).for('update');
        if (found.length === 0) return 0;
        const free = await room(tx, key);
        const queued = rows.slice(0, free);
        const discarded = rows.length - queued.length;
        for (let start = 0; start < queued.length; start += ROWS_PER_STATEMENT) {
          const rowsOfStatement = queued.slice(start, start + ROWS_PER_STATEMENT);
          const values = rowsOfStatement.map((row) => ({ ...row, ...key, nextAt: now, createdAt: now }));
          await tx.insert(messages).values(values).onConflictDoNothing();
        }
        if (discarded > 0)
          await tx
            .update(webhooks)
            .set({ discarded: sql`${webhooks.discarded} + ${discarded}` })
            .where(isHere);
        await removeOldest(tx, key);
        return discarded;
      }),

    async list(key, state, before, limit) {
      const { body, ...columns } = messageColumns;
      return db
        .select({ ...columns, lastStatus })
        .from(messages)
        .where(
          and(
            of(key),
            state === undefined ? undefined : eq(messages.state, state),
            before === undefined ? undefined : lt(messages.seq, before),
          ),
        )
        .orderBy(desc(messages.seq))
        .limit(limit);
    },

    async get(key, id) {
      const [row] = await db
        .select()
        .from(messages)
        .where(and(of(key), eq(messages.id, id)));
      return row;
    },

    attemptsOf: (seq) =>
      db.select().from(attempts).where(eq(attempts.messageSeq, seq)).orderBy(asc(attempts.id)),

    replay: (key, selection, now, within) =>
      within.transaction(async (tx) => {
        const isFinished =
          'failedAlone' in selection && selection.failedAlone
            ? eq(messages.state, 'failed')
            : sql`${messages.state} <> 'waiting'`;
        const isSelected =
          'messageId' in selection
            ? eq(messages.id, selection.messageId)
            : and(gte(messages.createdAt, selection.from), lt(messages.createdAt, selection.to));
        const chosen = tx
          .select({ seq: messages.seq })
          .from(messages)
          .where(and(of(key), isFinished, isSelected))
          .orderBy(asc(messages.seq))
          .limit(await room(tx, key));
        const replayed = await tx
          .update(messages)
          .set({ state: 'waiting', attempts: 0, nextAt: now })
          .where(sql`${messages.seq} in ${chosen}`)
          .returning({ seq: messages.seq });
        return replayed.length;
      }),
  };
}

const messageColumns = {
  seq: messages.seq,
  projectId: messages.projectId,
  webhookId: messages.webhookId,
  id: messages.id,
  type: messages.type,
  subject: messages.subject,
  body: messages.body,
  state: messages.state,
  attempts: messages.attempts,
  nextAt: messages.nextAt,
  createdAt: messages.createdAt,
};
