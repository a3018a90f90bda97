import type { Db } from '@switchboard/database';
import type { Clock } from '@switchboard/runtime';
import { createChannelsStore } from '../channels/store.ts';
import { createSubscriptionsStore, type SubscriptionRow } from '../subscriptions/store.ts';
import { type FindTarget, targetOf } from '../subscriptions/target.ts';
import { type Subscriber, targetAddress } from './links.ts';

interface SubscribersOptions {
  db: Db;
  findTarget: FindTarget;
  consoleUrl: string;
  clock: Clock;
}

/** The actions of the links in a mail. */
export interface Subscribers {
  /** Counts that a mail was opened. Returns the address of the target in the console; undefined if it was removed. */
  open(subscriber: Subscriber): Promise<string | undefined>;
  /** Returns the name of what the subscriber gets mails about. Undefined if it was removed. */
  nameOf(subscriber: Subscriber): Promise<string | undefined>;
  /** Ends the mails to the subscriber. Pauses a subscription that has no one else and no channel. */
  unsubscribe(subscriber: Subscriber): Promise<void>;
}

export function createSubscribers({ db, findTarget, consoleUrl, clock }: SubscribersOptions): Subscribers {
  const store = createSubscriptionsStore(db);

  async function find({ key, sub }: Subscriber): Promise<SubscriptionRow | undefined> {
    const subscribers = await store.subscribers(key.projectId, key.id);
    return subscribers.some((one) => one.sub === sub) ? store.find(key) : undefined;
  }

  return {
    async open(subscriber) {
      const found = await find(subscriber);
      if (found === undefined) return undefined;
      await store.recordOpened(subscriber.key);
      return targetAddress(consoleUrl, found);
    },

    async nameOf(subscriber) {
      const found = await find(subscriber);
      if (found === undefined) return undefined;
      return (await findTarget(found.projectId, targetOf(found)))?.name;
    },

    async unsubscribe({ key, sub }) {
      await db.transaction(async (tx) => {
        const locked = createSubscriptionsStore(tx);
        await locked.lock(key.projectId);
        await locked.setUnsubscribed(key, sub, clock.now());
        await locked.skipWaiting(key, sub);
        const others = await locked.subscribers(key.projectId, key.id);
        if (others.some(({ unsubscribedAt }) => unsubscribedAt === null)) return;
        if ((await createChannelsStore(tx).list(key.projectId, key.id)).length > 0) return;
        const paused = { enabled: false, pausedReason: 'unsubscribed', nextAt: null, stepAt: null } as const;
        await locked.change(key, { ...paused, runningSince: null });
      });
    },
  };
}
