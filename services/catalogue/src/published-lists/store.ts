import type { Tx } from '@switchboard/database';
import { sql } from 'drizzle-orm';

/** The notification channel that tells every instance that a public list has changed. */
export const LISTS_CHANNEL = 'catalogue_lists';

export interface PublishedListsStore {
  /** Notifies every instance when the transaction commits. */
  notifyChange(): Promise<void>;
}

export function createPublishedListsStore(tx: Tx): PublishedListsStore {
  return {
    async notifyChange() {
      await tx.execute(sql`select pg_notify(${LISTS_CHANNEL}, '')`);
    },
  };
}
