import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq, gt, gte, inArray, isNull, lt, max, ne, notInArray, sql } from 'drizzle-orm';
import { fromDrizzle } from 'pg-boss';
import {
  reportRunFailures,
  reportRuns,
  subscribers,
  subscriptionMails,
  subscriptions,
} from '../schema/index.ts';
import { removeMails } from '../schema/jobs.ts';

/** The transaction in which jobs are added to the queue. */
export type QueueTransaction = ReturnType<typeof fromDrizzle>;

export type SubscriptionRow = typeof subscriptions.$inferSelect;
export type SubscriberRow = typeof subscribers.$inferSelect;
export type SubscriptionMailRow = typeof subscriptionMails.$inferSelect;

export interface SubscriptionKey {
  projectId: string;
  id: string;
}

/** When a report last ran, and when its query failed since. */
export interface RunTimes {
  ranAt: Date | undefined;
  failedAt: Date | undefined;
}

type Changes = Partial<Omit<SubscriptionRow, 'projectId' | 'id'>>;

const named = ({ projectId, id }: SubscriptionKey) =>
  and(eq(subscriptions.projectId, projectId), eq(subscriptions.id, id));
const subscribersOf = ({ projectId, id }: SubscriptionKey) =>
  and(eq(subscribers.projectId, projectId), eq(subscribers.subscriptionId, id));
const mailsOf = ({ projectId, id }: SubscriptionKey) =>
  and(eq(subscriptionMails.projectId, projectId), eq(subscriptionMails.subscriptionId, id));
const IS_WAITING = eq(subscriptionMails.state, 'waiting');

/** Distinguishes this lock from other advisory locks of the database. */
const LOCK_SPACE = 4;

/** Subscriptions, their subscribers, mails, pushes and chat messages. */
export interface SubscriptionsStore {
  list(projectId: string): Promise<SubscriptionRow[]>;
  find(key: SubscriptionKey): Promise<SubscriptionRow | undefined>;
  /** Returns the subscribers of a project or of one of its subscriptions, ordered by sub. */
  subscribers(projectId: string, id?: string): Promise<SubscriberRow[]>;
  /** Locks the subscriptions of a project against other changes by users, until the transaction ends. */
  lock(projectId: string): Promise<void>;
  count(projectId: string): Promise<number>;
  insert(row: typeof subscriptions.$inferInsert): Promise<void>;
  change(key: SubscriptionKey, changes: Changes): Promise<void>;
  remove(key: SubscriptionKey): Promise<void>;
  /** Replaces the subscribers. Those who stay keep whether they have unsubscribed. */
  replaceSubscribers(key: SubscriptionKey, subs: readonly string[]): Promise<void>;
  setUnsubscribed(key: SubscriptionKey, sub: string, at: Date | null): Promise<void>;
  /** Claims a subscription that is due until `until`. Skips those that another instance is claiming. */
  claim(now: Date, until: Date): Promise<SubscriptionRow | undefined>;
  /** Changes a subscription unless its reports have begun to run again or ended since. Returns whether it did. */
  changeRunning(key: SubscriptionKey, runningSince: Date | null, changes: Changes): Promise<boolean>;
  /** Returns how often subscriptions of a project were sent since a time. */
  sendsSince(projectId: string, since: Date): Promise<number>;
  /** Returns when these reports last ran. */
  runTimes(projectId: string, reportIds: readonly string[]): Promise<ReadonlyMap<string, RunTimes>>;
  /** Adds mails and calls `enqueue` in the same transaction. */
  addMails(
    mails: readonly Omit<SubscriptionMailRow, 'state'>[],
    enqueue: (tx: QueueTransaction) => Promise<void>,
  ): Promise<void>;
  /** Gives up the mails of a subscription that wait, or only those to one member. */
  skipWaiting(key: SubscriptionKey, sub?: string): Promise<void>;
  /** Returns a mail that waits, with its subscription. Undefined if it was settled or removed. */
  findWaiting(id: string): Promise<{ mail: SubscriptionMailRow; subscription: SubscriptionRow } | undefined>;
  settle(id: string, state: 'sent' | 'failed' | 'skipped'): Promise<void>;
  /** Returns whether another mail or message of the same time has failed. */
  hasFailed(mail: SubscriptionMailRow): Promise<boolean>;
  /** Returns when the last mail to a member was queued, of those that began before a time. Undefined if none was sent. */
  lastSentTo(key: SubscriptionKey, sub: string, before: Date): Promise<Date | undefined>;
  /** Counts an opened link of a mail. Writes nothing if the last mail was opened already. */
  recordOpened(key: SubscriptionKey): Promise<void>;
}

export function createSubscriptionsStore(db: Db | Tx): SubscriptionsStore {
  return {
    list: (projectId: string): Promise<SubscriptionRow[]> =>
      db
        .select()
        .from(subscriptions)
        .where(eq(subscriptions.projectId, projectId))
        .orderBy(asc(subscriptions.id)),

    async find(key: SubscriptionKey): Promise<SubscriptionRow | undefined> {
      const [row] = await db.select().from(subscriptions).where(named(key));
      return row;
    },

    subscribers: (projectId: string, id?: string): Promise<SubscriberRow[]> =>
      db
        .select()
        .from(subscribers)
        .where(id === undefined ? eq(subscribers.projectId, projectId) : subscribersOf({ projectId, id }))
        .orderBy(asc(subscribers.sub)),

    async lock(projectId: string): Promise<void> {
      await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${projectId}, ${LOCK_SPACE}))`);
    },

    count: (projectId: string): Promise<number> =>
      db.$count(subscriptions, eq(subscriptions.projectId, projectId)),

    async insert(row: typeof subscriptions.$inferInsert): Promise<void> {
      await db.insert(subscriptions).values(row);
    },

    async change(key: SubscriptionKey, changes: Changes): Promise<void> {
      await db.update(subscriptions).set(changes).where(named(key));
    },

    async remove(key: SubscriptionKey): Promise<void> {
      await removeMails(db, mailsOf(key));
      await db.delete(subscriptions).where(named(key));
    },

    async replaceSubscribers({ projectId, id }: SubscriptionKey, subs: readonly string[]): Promise<void> {
      const key = { projectId, id };
      await db.delete(subscribers).where(and(subscribersOf(key), notInArray(subscribers.sub, [...subs])));
      if (subs.length === 0) return;
      await db
        .insert(subscribers)
        .values(subs.map((sub) => ({ projectId, subscriptionId: id, sub })))
        .onConflictDoNothing();
    },

    async setUnsubscribed(key: SubscriptionKey, sub: string, at: Date | null): Promise<void> {
      await db
        .update(subscribers)
        .set({ unsubscribedAt: at })
        .where(and(subscribersOf(key), eq(subscribers.sub, sub)));
    },

    async claim(now: Date, until: Date): Promise<SubscriptionRow | undefined> {
      const [due] = await db.execute<{ project_id: string; id: string }>(sql`
        update ${subscriptions} set step_at = ${until.toISOString()}::timestamptz
        where (project_id, id) = (
          select project_id, id from ${subscriptions} where step_at <= ${now.toISOString()}::timestamptz
          order by step_at limit 1 for update skip locked
        )
        returning project_id, id`);
      if (due === undefined) return undefined;
      const [row] = await db
        .select()
        .from(subscriptions)
        .where(named({ projectId: due.project_id, id: due.id }));
      return row;
    },

    async changeRunning(key: SubscriptionKey, runningSince: Date | null, changes: Changes): Promise<boolean> {
      const isSame =
        runningSince === null
          ? isNull(subscriptions.runningSince)
          : eq(subscriptions.runningSince, runningSince);
      const changed = await db
        .update(subscriptions)
        .set(changes)
        .where(and(named(key), isSame))
        .returning({ id: subscriptions.id });
      return changed.length > 0;
    },

    async sendsSince(projectId: string, since: Date): Promise<number> {
      const [row] = await db
        .select({
          sends: sql<number>`count(distinct (${subscriptionMails.subscriptionId}, ${subscriptionMails.runningSince}))::int`,
        })
        .from(subscriptionMails)
        .where(and(eq(subscriptionMails.projectId, projectId), gt(subscriptionMails.createdAt, since)));
      return row?.sends ?? 0;
    },

    async runTimes(projectId: string, reportIds: readonly string[]): Promise<ReadonlyMap<string, RunTimes>> {
      const ids = [...reportIds];
      const ran = await db
        .select({ id: reportRuns.reportId, at: reportRuns.ranAt })
        .from(reportRuns)
        .where(and(eq(reportRuns.projectId, projectId), inArray(reportRuns.reportId, ids)));
      const failed = await db
        .select({ id: reportRunFailures.reportId, at: reportRunFailures.failedAt })
        .from(reportRunFailures)
        .where(and(eq(reportRunFailures.projectId, projectId), inArray(reportRunFailures.reportId, ids)));
      const [runs, failures] = [ran, failed].map((rows) => new Map(rows.map(({ id, at }) => [id, at])));
      return new Map(ids.map((id) => [id, { ranAt: runs?.get(id), failedAt: failures?.get(id) }]));
    },

    async addMails(
      mails: readonly Omit<SubscriptionMailRow, 'state'>[],
      enqueue: (tx: QueueTransaction) => Promise<void>,
    ): Promise<void> {
      await db.insert(subscriptionMails).values([...mails]);
      await enqueue(fromDrizzle(db, sql));
    },

    async skipWaiting(key: SubscriptionKey, sub?: string): Promise<void> {
      const isTo = sub === undefined ? undefined : eq(subscriptionMails.sub, sub);
      await db
        .update(subscriptionMails)
        .set({ state: 'skipped' })
        .where(and(mailsOf(key), IS_WAITING, isTo));
    },

    async findWaiting(
      id: string,
    ): Promise<{ mail: SubscriptionMailRow; subscription: SubscriptionRow } | undefined> {
      const [row] = await db
        .select({ mail: subscriptionMails, subscription: subscriptions })
        .from(subscriptionMails)
        .innerJoin(
          subscriptions,
          and(
            eq(subscriptions.projectId, subscriptionMails.projectId),
            eq(subscriptions.id, subscriptionMails.subscriptionId),
          ),
        )
        .where(and(eq(subscriptionMails.id, id), IS_WAITING));
      return row;
    },

    async settle(id: string, state: 'sent' | 'failed' | 'skipped'): Promise<void> {
      await db
        .update(subscriptionMails)
        .set({ state })
        .where(and(eq(subscriptionMails.id, id), IS_WAITING));
    },

    hasFailed: async ({ projectId, subscriptionId: id, runningSince }: SubscriptionMailRow) =>
      (await db.$count(
        subscriptionMails,
        and(
          mailsOf({ projectId, id }),
          gte(subscriptionMails.createdAt, runningSince),
          eq(subscriptionMails.runningSince, runningSince),
          eq(subscriptionMails.state, 'failed'),
        ),
      )) > 0,

    async lastSentTo(key: SubscriptionKey, sub: string, before: Date): Promise<Date | undefined> {
      const isBefore = lt(subscriptionMails.runningSince, before);
      const [row] = await db
        .select({ at: max(subscriptionMails.createdAt) })
        .from(subscriptionMails)
        .where(
          and(mailsOf(key), eq(subscriptionMails.sub, sub), eq(subscriptionMails.state, 'sent'), isBefore),
        );
      return row?.at ?? undefined;
    },

    async recordOpened(key: SubscriptionKey): Promise<void> {
      await db
        .update(subscriptions)
        .set({ unopened: 0 })
        .where(and(named(key), ne(subscriptions.unopened, 0)));
    },
  };
}
