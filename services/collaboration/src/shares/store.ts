import type { Database } from '@switchboard/database';
import { and, eq, inArray } from 'drizzle-orm';
import { deliveries, droppedEndpoints, shares } from '../schema.ts';

export type Share = typeof shares.$inferSelect;
type NewDelivery = Omit<typeof deliveries.$inferInsert, 'state' | 'reason' | 'settledAt' | 'shareId'>;

export interface Delivery {
  id: string;
  recipientSub: string;
  channel: 'email' | 'push';
  endpoint: string | null;
  share: Share;
}

/** The part of a database that a transaction is, too. */
export type Transaction = Parameters<Parameters<Database['drizzle']['transaction']>[0]>[0];

export type ShareStore = ReturnType<typeof createShareStore>;

export function createShareStore({ drizzle }: Pick<Database, 'drizzle'>) {
  return {
    /** Stores a share with its deliveries, and what `alongside` writes, all or nothing. */
    async add(
      share: Share,
      toDeliver: NewDelivery[],
      alongside: (tx: Transaction) => Promise<void>,
    ): Promise<void> {
      await drizzle.transaction(async (tx) => {
        await tx.insert(shares).values(share);
        await tx.insert(deliveries).values(toDeliver.map((one) => ({ ...one, shareId: share.id })));
        await alongside(tx);
      });
    },

    /** A delivery that is still to be made. */
    async waiting(id: string): Promise<Delivery | undefined> {
      const [row] = await drizzle
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

    async settle(id: string, state: 'sent' | 'failed', settledAt: Date, reason?: string): Promise<void> {
      await drizzle
        .update(deliveries)
        .set({ state, settledAt, reason: reason ?? null })
        .where(and(eq(deliveries.id, id), eq(deliveries.state, 'waiting')));
    },

    async dropEndpoint(endpoint: string, droppedAt: Date): Promise<void> {
      await drizzle.insert(droppedEndpoints).values({ endpoint, droppedAt }).onConflictDoNothing();
    },

    /** Those of the endpoints that push services have called gone. */
    async dropped(endpoints: string[]): Promise<ReadonlySet<string>> {
      if (endpoints.length === 0) return new Set();
      const rows = await drizzle
        .select({ endpoint: droppedEndpoints.endpoint })
        .from(droppedEndpoints)
        .where(inArray(droppedEndpoints.endpoint, endpoints));
      return new Set(rows.map(({ endpoint }) => endpoint));
    },
  };
}
