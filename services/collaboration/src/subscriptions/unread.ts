import type { ThreadSummary } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import type { Clock } from '@switchboard/runtime';
import type { Inbox } from '../inbox/inbox.ts';
import { createSubscriptionsStore, type SubscriptionRow } from './store.ts';

/** The longest time between two digests, in a monthly subscription. */
const LONGEST_MS = 31 * 86_400_000;

/**
 * Returns the unread threads that concern a subscriber, with comments since the last digest that they got before the
 * one that began at `before`.
 */
export type ReadUnread = (
  subscription: SubscriptionRow,
  sub: string,
  before: Date,
) => Promise<ThreadSummary[]>;

interface UnreadOptions {
  db: Db;
  inbox: Pick<Inbox, 'unread'>;
  clock: Clock;
}

export function createReadUnread({ db, inbox, clock }: UnreadOptions): ReadUnread {
  const store = createSubscriptionsStore(db);
  return async (subscription, sub, before) => {
    const { projectId, companyId } = subscription;
    const last = await store.lastSentTo(subscription, sub, before);
    const since = last ?? new Date(clock.now().getTime() - LONGEST_MS);
    return inbox.unread({ id: projectId, companyId }, sub, since);
  };
}
