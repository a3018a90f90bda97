import type { Db } from '@switchboard/database';
import { and, eq, inArray, sql } from 'drizzle-orm';
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

export interface SharesStore {
  /** Stores a share, its deliveries and what `enqueue` writes in one transaction. */
  add(
    share: Share,
    toDeliver: NewDelivery[],
    enqueue: (tx: QueueTransaction) => Promise<void>,
  ): Promise<void>;
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
      await db.transaction(async (tx) => {
        await tx.insert(shares).values(share);
        await tx.insert(deliveries).values(toDeliver.map((one) => ({ ...one, shareId: share.id })));
        await enqueue(fromDrizzle(tx, sql));
      });
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
