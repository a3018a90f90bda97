import {
  MAX_UNOPENED_MAILS,
  REPORT_RUN_REQUESTS_TOPIC,
  type ReportRunRequest,
  reportRunRequestsSpec,
} from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import type { Directory, Member, Report } from '@switchboard/directory';
import type { EventLog } from '@switchboard/event-log';
import { createPolling, doAll, type Polling } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import { createChannelsStore } from '../channels/store.ts';
import { newId } from '../ids/ids.ts';
import type { PlanDeliveries } from '../shares/plan.ts';
import type { DeliveryQueue } from '../shares/queue.ts';
import { nextTime } from './schedule.ts';
import { createSubscriptionsStore, type RunTimes, type SubscriptionRow } from './store.ts';
import { type FindTarget, isRun, targetOf } from './target.ts';
import type { ReadUnread } from './unread.ts';

interface SendingOptions {
  db: Db;
  log: Pick<EventLog, 'createTopics' | 'publish'>;
  replication: number;
  findTarget: FindTarget;
  queue: Pick<DeliveryQueue, 'enqueue'>;
  directory: Pick<Directory, 'member'>;
  planDeliveries: PlanDeliveries;
  readUnread: ReadUnread;
  /** How often subscriptions of a project are sent within an hour. Further ones wait. */
  sendsPerHour: number;
  /** How often to look for due subscriptions and for runs. Default: 1,000. */
  everyMs: number | undefined;
  clock: Clock;
  logger: Logger;
}

/** Longer than a step takes. Then another instance repeats it. */
const LEASE_MS = 60_000;
/** How long reports may take to run. Longer than analytics tries. */
const RUN_MS = 900_000;
/** How long before the request a run may have begun, which also allows for clocks that differ. */
const FRESH_MS = 60_000;
const HOUR_MS = 3_600_000;
const FULL_MS = 300_000;

/**
 * Sends subscriptions when they are due: asks analytics to run the reports, waits for the runs, and queues one mail for
 * each subscriber, one push for each of their browsers and one message for each channel. A digest of threads is queued
 * for those who have unread threads. Times that passed while no instance ran are made up for once.
 */
export function createSending(options: SendingOptions): Polling {
  const { db, directory, log, replication, findTarget, readUnread, planDeliveries, queue } = options;
  const { sendsPerHour, everyMs = 1_000, clock, logger } = options;
  const store = createSubscriptionsStore(db);
  const later = (ms: number) => new Date(clock.now().getTime() + ms);
  let hasTopic = false;

  async function step(due: SubscriptionRow): Promise<void> {
    try {
      if (due.runningSince === null) await begin(due);
      else await proceed(due, due.runningSince);
    } catch (error) {
      // The claim expires, and an instance tries again.
      logger.failed('send a subscription', error, { project: due.projectId, subscription: due.id });
    }
  }

  async function begin(due: SubscriptionRow): Promise<void> {
    const now = clock.now();
    if ((await store.sendsSince(due.projectId, later(-HOUR_MS))) >= sendsPerHour) {
      return store.change(due, { stepAt: later(FULL_MS) });
    }
    await store.changeRunning(due, null, {
      runningSince: now,
      isRequested: false,
      nextAt: nextTime(due.schedule, now),
      stepAt: now,
    });
  }

  async function proceed(due: SubscriptionRow, since: Date): Promise<void> {
    if (due.targetKind === 'threads') return enqueue(due, since);
    const target = await findTarget(due.projectId, targetOf(due));
    if (target === undefined) return fail(due, since, `The ${due.targetKind} does not exist.`);
    if (target.isNarrowed) {
      return fail(due, since, 'The dashboard has a range or filters, which saved runs do not have.');
    }
    if (target.reports.length === 0) return fail(due, since, 'The dashboard has no reports.');
    const { reports } = target;
    if (!due.isRequested) return request(due, since, reports);
    const times = await store.runTimes(
      due.projectId,
      reports.map(({ id }) => id),
    );
    const states = reports.map((report) => stateOf(report, times.get(report.id), since));
    const failed = reports.find((_, at) => states[at] === 'failed');
    if (failed !== undefined) return fail(due, since, failureOf(failed));
    if (states.every((state) => state === 'ready')) return enqueue(due, since);
    if (clock.now().getTime() - since.getTime() < RUN_MS) {
      await store.changeRunning(due, since, { stepAt: later(everyMs) });
      return;
    }
    await fail(due, since, 'The reports did not run within 15 minutes.');
  }

  async function request(due: SubscriptionRow, since: Date, reports: readonly Report[]): Promise<void> {
    const { projectId } = due;
    const records = reports.filter(isRun).map(({ id: reportId }) => {
      const value: ReportRunRequest = { projectId, reportId };
      return {
        partition: 0,
        key: `${projectId}/${reportId}`,
        value: Buffer.from(JSON.stringify(value)),
        headers: {},
      };
    });
    if (records.length > 0) {
      if (!hasTopic) await log.createTopics([reportRunRequestsSpec(replication)]);
      hasTopic = true;
      await log.publish(REPORT_RUN_REQUESTS_TOPIC, records, projectId);
    }
    await store.changeRunning(due, since, { isRequested: true, stepAt: clock.now() });
  }

  /** Returns the members to whom a subscription is sent. */
  async function recipientsOf(due: SubscriptionRow, since: Date): Promise<Member[]> {
    const subscribers = await store.subscribers(due.projectId, due.id);
    const members: Member[] = [];
    for (const { sub, unsubscribedAt } of subscribers) {
      const member = unsubscribedAt === null ? await directory.member(due.companyId, sub) : undefined;
      if (member === undefined) continue;
      if (due.targetKind === 'threads' && (await readUnread(due, sub, since)).length === 0) continue;
      members.push(member);
    }
    return members;
  }

  /** Queues mails, pushes and messages, and gives up those of an earlier time that wait. */
  async function enqueue(due: SubscriptionRow, since: Date): Promise<void> {
    const planned = await planDeliveries(await recipientsOf(due, since));
    await db.transaction(async (tx) => {
      const locked = createSubscriptionsStore(tx);
      const channels = await createChannelsStore(tx).list(due.projectId, due.id);
      const addressees = [
        ...planned.map(({ recipientSub: sub, channel, endpoint = null }) => ({
          mail: { sub, channelId: null, endpoint },
          channel,
        })),
        ...channels.map(({ id: channelId }) => ({
          mail: { sub: null, channelId, endpoint: null },
          channel: 'chat' as const,
        })),
      ];
      // People who read a channel open no mail.
      const isLast =
        due.enabled && due.unopened >= MAX_UNOPENED_MAILS && channels.length === 0 && addressees.length > 0;
      const hasChanged = await locked.changeRunning(due, since, {
        runningSince: null,
        stepAt: due.nextAt,
        unopened: due.unopened + (addressees.length === 0 ? 0 : 1),
        ...(isLast && { enabled: false, pausedReason: 'unopened', nextAt: null, stepAt: null }),
      });
      if (!hasChanged) return;
      await locked.skipWaiting(due);
      if (addressees.length === 0) return;
      const queued = addressees.map(({ channel, mail }) => ({ id: newId('sml'), channel, mail }));
      const mails = queued.map(({ id, mail }) => ({
        id,
        projectId: due.projectId,
        subscriptionId: due.id,
        ...mail,
        runningSince: since,
        isLast,
        createdAt: clock.now(),
      }));
      await locked.addMails(mails, (inQueue) => queue.enqueue(inQueue, due.companyId, queued));
    });
  }

  async function fail(due: SubscriptionRow, since: Date, failure: string): Promise<void> {
    const { projectId: project, id: subscription } = due;
    logger.warn({ project, subscription, failure }, 'subscription not sent');
    await store.changeRunning(due, since, {
      runningSince: null,
      stepAt: due.nextAt,
      failedAt: clock.now(),
      failure,
    });
  }

  return createPolling((signal) => doAll(signal, () => store.claim(clock.now(), later(LEASE_MS)), step), {
    everyMs,
    onFailure: (error) => logger.failed('send subscriptions', error),
  });
}

function stateOf(report: Report, { ranAt, failedAt }: Partial<RunTimes> = {}, since: Date) {
  // Its runs are recorded by API, so the last one is the newest there is.
  if (!isRun(report)) return ranAt === undefined ? 'failed' : 'ready';
  if (failedAt !== undefined && failedAt >= since) return 'failed';
  return ranAt !== undefined && ranAt.getTime() >= since.getTime() - FRESH_MS ? 'ready' : 'running';
}

const failureOf = (report: Report) =>
  isRun(report)
    ? `The query of the report “${report.name}” failed. The report shows why.`
    : `The report “${report.name}” has no run.`;
