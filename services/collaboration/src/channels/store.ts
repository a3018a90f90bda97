import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq, sql } from 'drizzle-orm';
import { subscriptionChannels } from '../schema/index.ts';

/** The subscription of a channel. */
export interface OfSubscription {
  projectId: string;
  id: string;
}

export type ChannelRow = Omit<typeof subscriptionChannels.$inferSelect, 'position'>;

const PAGE_SIZE = 500;

const channelsOf = ({ projectId, id }: OfSubscription) =>
  and(eq(subscriptionChannels.projectId, projectId), eq(subscriptionChannels.subscriptionId, id));
const named = (row: Pick<ChannelRow, 'projectId' | 'subscriptionId' | 'id'>) =>
  and(channelsOf({ projectId: row.projectId, id: row.subscriptionId }), eq(subscriptionChannels.id, row.id));

/** The chat channels of subscriptions. */
export interface ChannelsStore {
  /** Returns the channels of a project or of one of its subscriptions, in order. */
  list(projectId: string, id?: string): Promise<ChannelRow[]>;
  find(key: OfSubscription, channelId: string): Promise<ChannelRow | undefined>;
  /** Replaces the channels of a subscription. */
  replace(key: OfSubscription, rows: readonly ChannelRow[]): Promise<void>;
  /** Returns a page of the channels after this one, in key order. */
  page(after: ChannelRow | undefined): Promise<ChannelRow[]>;
  /** Replaces an encrypted URL unless it has changed since. */
  replaceEncrypted(row: ChannelRow, encryptedUrl: string): Promise<void>;
}

export function createChannelsStore(db: Db | Tx): ChannelsStore {
  const { projectId, subscriptionId, id, position } = subscriptionChannels;
  return {
    list: (ofProject, ofSubscription) =>
      db
        .select()
        .from(subscriptionChannels)
        .where(
          ofSubscription === undefined
            ? eq(projectId, ofProject)
            : channelsOf({ projectId: ofProject, id: ofSubscription }),
        )
        .orderBy(asc(position)),

    async find(key, channelId) {
      const [row] = await db
        .select()
        .from(subscriptionChannels)
        .where(and(channelsOf(key), eq(id, channelId)));
      return row;
    },

    async replace(key, rows) {
      await db.delete(subscriptionChannels).where(channelsOf(key));
      if (rows.length === 0) return;
      await db.insert(subscriptionChannels).values(rows.map((row, position) => ({ ...row, position })));
    },

    page: (after) =>
      db
        .select()
        .from(subscriptionChannels)
        .where(
          after &&
            sql`(${projectId}, ${subscriptionId}, ${id}) > (${after.projectId}, ${after.subscriptionId}, ${after.id})`,
        )
        .orderBy(projectId, subscriptionId, id)
        .limit(PAGE_SIZE),

    async replaceEncrypted(row, encryptedUrl) {
      await db
        .update(subscriptionChannels)
        .set({ encryptedUrl })
        .where(and(named(row), eq(subscriptionChannels.encryptedUrl, row.encryptedUrl)));
    },
  };
}
