import type { Db, Transactor, Tx } from '@switchboard/database';
import { and, count, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import { fromDrizzle } from 'pg-boss';
import { requireHeldReport } from '../directory/reports.ts';
import { comments, deliveries, droppedEndpoints, shares } from '../schema/index.ts';

export type Share = typeof shares.$inferSelect;
export type NewDelivery = Omit<typeof deliveries.$inferInsert, 'state' | 'reason' | 'settledAt' | 'shareId'>;

export interface Delivery {
  id: string;
  recipientSub: string;
  channel: 'email' | 'push';
  endpoint: string | null;
  share: Share;
  /** The comment of a mention. Null if the comment no longer exists. */
  comment: { body: string | null; mentions: string[] } | null;
}

export type Settled = 'sent' | 'failed' | 'skipped';

interface Skip extends Pick<Share, 'projectId' | 'reportId'> {
  recipientSub: string;
  settledAt: Date;
  reason: string;
}

/** A transaction in the form that pg-boss accepts. */
export type QueueTransaction = ReturnType<typeof fromDrizzle>;

type IdempotencyKey = Pick<Share, 'projectId' | 'reportId' | 'senderSub'> & { idempotencyKey: string };

export interface SharesStore {
  /**
   * Stores a share, its deliveries and the writes of `enqueue` in one transaction. Stores nothing if the
   * idempotency key is taken. Returns the number of recipients of the share with that key. Throws NotFound when
   * the report no longer exists.
   */
  add(
    share: Share,
    toDeliver: NewDelivery[],
    enqueue: (tx: QueueTransaction) => Promise<void>,
    within: Transactor,
  ): Promise<number>;
  /** Does the same for people whom a comment mentions, in the transaction that stores the comment. */
  addMentions(
    tx: Tx,
    share: Share,
    toDeliver: NewDelivery[],
    enqueue: (tx: QueueTransaction) => Promise<void>,
  ): Promise<void>;
  /** Returns the people to whom messages about this comment are addressed. */
  findMentioned(tx: Tx, commentId: string): Promise<ReadonlySet<string>>;
  /** Skips waiting messages to a person about comments on a report. Returns the channels of these messages. */
  skipMentions(skip: Skip): Promise<Delivery['channel'][]>;
  /** Returns the number of recipients of the share with this idempotency key. */
  findSent(key: IdempotencyKey): Promise<number | undefined>;
  /** Returns a delivery that is not settled yet. */
  findWaiting(id: string): Promise<Delivery | undefined>;
  settle(id: string, state: Settled, settledAt: Date, reason?: string): Promise<void>;
  dropEndpoint(endpoint: string, droppedAt: Date): Promise<void>;
  /** Returns the endpoints in `endpoints` that push services have reported as gone. */
  findDropped(endpoints: string[]): Promise<ReadonlySet<string>>;
}

export function createSharesStore(db: Db): SharesStore {
  return {
    async add(share, toDeliver, enqueue, within) {
      return within.transaction(async (tx) => {
        await requireHeldReport(tx, share.projectId, share.reportId);
        const added = await tx
          .insert(shares)
          .values(share)
          .onConflictDoNothing()
          .returning({ id: shares.id });
        if (added.length === 0 && share.idempotencyKey !== null) {
          return (await selectSent(tx, { ...share, idempotencyKey: share.idempotencyKey })) ?? 0;
        }
        await insertDeliveries(tx, share, toDeliver, enqueue);
        return toDeliver.filter(({ channel }) => channel === 'email').length;
      });
    },

    async addMentions(tx, share, toDeliver, enqueue) {
      await tx.insert(shares).values(share);
      await insertDeliveries(tx, share, toDeliver, enqueue);
    },

    async findMentioned(tx, commentId) {
      const rows = await tx
        .selectDistinct({ sub: deliveries.recipientSub })
        .from(deliveries)
        .innerJoin(shares, eq(shares.id, deliveries.shareId))
        .where(eq(shares.commentId, commentId));
      return new Set(rows.map(({ sub }) => sub));
    },

    async skipMentions({ projectId, reportId, recipientSub, settledAt, reason }) {
      const rows = await db
        .update(deliveries)
        .set({ state: 'skipped', settledAt, reason })
        .from(shares)
        .where(
          and(
            eq(deliveries.recipientSub, recipientSub),
            // Not a parameter, so that the index of waiting deliveries is used.
            sql`${deliveries.state} = 'waiting'`,
            eq(shares.id, deliveries.shareId),
            eq(shares.projectId, projectId),
            eq(shares.reportId, reportId),
            isNotNull(shares.commentId),
          ),
        )
        .returning({ channel: deliveries.channel });
      return rows.map(({ channel }) => channel);
    },

    async findSent(key) {
      return selectSent(db, key);
    },

    async findWaiting(id) {
      const [row] = await db
        .select({
          id: deliveries.id,
          recipientSub: deliveries.recipientSub,
          channel: deliveries.channel,
          endpoint: deliveries.endpoint,
          share: shares,
          comment: { body: comments.body, mentions: comments.mentions },
        })
        .from(deliveries)
        .innerJoin(shares, eq(shares.id, deliveries.shareId))
        .leftJoin(comments, eq(comments.id, shares.commentId))
        .where(and(eq(deliveries.id, id), eq(deliveries.state, 'waiting')));
      return row;
    },

    async settle(id, state, settledAt, reason) {
      await db
        .update(deliveries)
        .set({ state, settledAt, reason: reason ?? null })
        .where(and(eq(deliveries.id, id), eq(deliveries.state, 'waiting')));
    },

    async dropEndpoint(endpoint, droppedAt) {
      await db.insert(droppedEndpoints).values({ endpoint, droppedAt }).onConflictDoNothing();
    },

    async findDropped(endpoints) {
      if (endpoints.length === 0) return new Set();
      const rows = await db
        .select({ endpoint: droppedEndpoints.endpoint })
        .from(droppedEndpoints)
        .where(inArray(droppedEndpoints.endpoint, endpoints));
      return new Set(rows.map(({ endpoint }) => endpoint));
    },
  };
}

async function insertDeliveries(
  tx: Tx,
  share: Share,
  toDeliver: NewDelivery[],
  enqueue: (tx: QueueTransaction) => Promise<void>,
): Promise<void> {
  await tx.insert(deliveries).values(toDeliver.map((one) => ({ ...one, shareId: share.id })));
  await enqueue(fromDrizzle(tx, sql));
}

/** Counts the e-mails, because each recipient gets one. */
async function selectSent(db: Db | Tx, key: IdempotencyKey): Promise<number | undefined> {
  const [row] = await db
    .select({ sent: count() })
    .from(shares)
    .innerJoin(deliveries, and(eq(deliveries.shareId, shares.id), eq(deliveries.channel, 'email')))
    .where(
      and(
        eq(shares.projectId, key.projectId),
        eq(shares.reportId, key.reportId),
        eq(shares.senderSub, key.senderSub),
        eq(shares.idempotencyKey, key.idempotencyKey),
      ),
    )
    .groupBy(shares.id);
  return row?.sent;
}
