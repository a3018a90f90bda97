import type { Db, Tx } from '@switchboard/database';
import { and, count, eq, inArray, sql } from 'drizzle-orm';
import { fromDrizzle } from 'pg-boss';
import { deliveries, droppedEndpoints, shares } from '../schema/index.ts';

export type Share = typeof shares.$inferSelect;
type NewDelivery = Omit<typeof deliveries.$inferInsert, 'state' | 'reason' | 'settledAt' | 'shareId'>;

export interface Delivery {
  id: string;
  recipientSub: string;
  channel: 'email' | 'push';
  endpoint: string | null;
  share: Share;
}

/** A transaction as pg-boss takes it. */
export type QueueTransaction = ReturnType<typeof fromDrizzle>;

type IdempotencyKey = Pick<Share, 'projectId' | 'reportId' | 'senderSub'> & { idempotencyKey: string };

export interface SharesStore {
  /**
   * Stores a share, its deliveries and what `enqueue` writes in one transaction; nothing if its idempotency key is
   * taken. Returns the number of recipients of the share that has the key.
   */
  add(
    share: Share,
    toDeliver: NewDelivery[],
    enqueue: (tx: QueueTransaction) => Promise<void>,
  ): Promise<number>;
  /** The number of recipients of the share with this idempotency key. */
  findSent(key: IdempotencyKey): Promise<number | undefined>;
  /** A delivery that is not settled yet. */
  findWaiting(id: string): Promise<Delivery | undefined>;
  settle(id: string, state: 'sent' | 'failed', settledAt: Date, reason?: string): Promise<void>;
  dropEndpoint(endpoint: string, droppedAt: Date): Promise<void>;
  /** Those of the endpoints that push services have reported gone. */
  findDropped(endpoints: string[]): Promise<ReadonlySet<string>>;
}

export function createSharesStore(db: Db): SharesStore {
  return {
    async add(share, toDeliver, enqueue) {
      return db.transaction(async (tx) => {
        const added = await tx
          .insert(shares)
          .values(share)
          .onConflictDoNothing()
          .returning({ id: shares.id });
        if (added.length === 0 && share.idempotencyKey !== null) {
          return (await selectSent(tx, { ...share, idempotencyKey: share.idempotencyKey })) ?? 0;
        }
        await tx.insert(deliveries).values(toDeliver.map((one) => ({ ...one, shareId: share.id })));
        await enqueue(fromDrizzle(tx, sql));
        return toDeliver.filter(({ channel }) => channel === 'email').length;
      });
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
        })
        .from(deliveries)
        .innerJoin(shares, eq(shares.id, deliveries.shareId))
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

/** Everybody gets one e-mail. */
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
