import type { Db, Tx } from '@switchboard/database';
import type { OutboxSource } from '@switchboard/outbox';
import { and, asc, eq, sql } from 'drizzle-orm';
import { unpublishedMemberships } from '../schema/index.ts';

export type MembershipChange = typeof unpublishedMemberships.$inferSelect;

export interface MembershipsStore extends OutboxSource<MembershipChange> {
  /** Adds a change to the outbox. It replaces an unpublished one of the same member. */
  append(change: Omit<MembershipChange, 'revision'>): Promise<void>;
}

const NOW = sql<bigint>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

export function createMembershipsStore(db: Db | Tx): MembershipsStore {
  return {
    async append({ companyId, sub, content }) {
      await db
        .insert(unpublishedMemberships)
        .values({ companyId, sub, content, revision: NOW })
        .onConflictDoUpdate({
          target: [unpublishedMemberships.companyId, unpublishedMemberships.sub],
          set: { content, revision: sql`greatest(${NOW}, ${unpublishedMemberships.revision} + 1)` },
        });
    },

    oldest: (limit) =>
      db.select().from(unpublishedMemberships).orderBy(asc(unpublishedMemberships.revision)).limit(limit),

    async markPublished(changes) {
      for (const { companyId, sub, revision } of changes) {
        await db
          .delete(unpublishedMemberships)
          .where(
            and(
              eq(unpublishedMemberships.companyId, companyId),
              eq(unpublishedMemberships.sub, sub),
              eq(unpublishedMemberships.revision, revision),
            ),
          );
      }
    },
  };
}
