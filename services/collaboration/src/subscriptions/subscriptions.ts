import { MAX_SUBSCRIPTIONS, type Subscription, type SubscriptionDefinition } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import { type AuditedChange, BadRequest, Conflict, NotFound, type RateLimit } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { Channels } from '../channels/channels.ts';
import { type ChannelRow, createChannelsStore } from '../channels/store.ts';
import { createDashboardsStore } from '../dashboards/store.ts';
import { requireMembers } from '../directory/members.ts';
import { requireHeldReport } from '../directory/reports.ts';
import { nextTime } from './schedule.ts';
import {
  createSubscriptionsStore,
  type SubscriberRow,
  type SubscriptionKey,
  type SubscriptionRow,
} from './store.ts';
import { type FindTarget, targetOf } from './target.ts';

interface SubscriptionsOptions {
  db: Db;
  directory: Pick<Directory, 'project' | 'member'>;
  findTarget: FindTarget;
  channels: Pick<Channels, 'rowsOf'>;
  /** Limits how often subscriptions of a project are sent by hand. */
  limit: RateLimit;
  clock: Clock;
}

/** Manages the subscriptions of projects. */
export interface Subscriptions {
  list(projectId: string): Promise<Subscription[]>;
  /** Throws NotFound. */
  get(key: SubscriptionKey): Promise<Subscription>;
  /**
   * Creates or replaces a subscription. Throws NotFound for an unknown target, BadRequest for a recipient who is not a
   * member, a channel that cannot be used, or neither of them, and Conflict for one subscription too many or a
   * dashboard with a range or filters.
   */
  put(
    change: AuditedChange,
    key: SubscriptionKey,
    definition: SubscriptionDefinition,
    sub: string,
  ): Promise<Subscription>;
  remove(change: AuditedChange, key: SubscriptionKey): Promise<void>;
  /** Sends a subscription soon. Throws NotFound, RateLimited, and Conflict while it is being sent. */
  send(change: AuditedChange, key: SubscriptionKey): Promise<void>;
}

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { db, directory, findTarget, channels, limit, clock } = options;
  const store = createSubscriptionsStore(db);

  async function read(own: Db | Tx, key: SubscriptionKey): Promise<Subscription> {
    const [reading, { projectId, id }] = [createSubscriptionsStore(own), key];
    const row = await reading.find(key);
    if (row === undefined) throw new NotFound('Subscription not found.');
    const subscribers = await reading.subscribers(projectId, id);
    return present(row, subscribers, await createChannelsStore(own).list(projectId, id));
  }

  /** Keeps the target as it is until the transaction ends. */
  async function hold(tx: Tx, projectId: string, target: SubscriptionDefinition['target']) {
    if (target.kind === 'threads') return;
    const { kind, id } = target;
    if (kind === 'report') return void (await requireHeldReport(tx, projectId, id));
    const dashboards = createDashboardsStore(tx);
    await dashboards.lock(projectId);
    if ((await dashboards.find(projectId, id)) === undefined) throw new NotFound('Dashboard not found.');
  }

  return {
    async list(projectId) {
      const rows = await store.list(projectId);
      const all = Map.groupBy(await store.subscribers(projectId), ({ subscriptionId }) => subscriptionId);
      const chats = Map.groupBy(
        await createChannelsStore(db).list(projectId),
        ({ subscriptionId }) => subscriptionId,
      );
      return rows.map((row) => present(row, all.get(row.id) ?? [], chats.get(row.id) ?? []));
    },

    get: (key) => read(db, key),

    async put(change, key, definition, sub) {
      const { target, schedule, enabled } = definition;
      const { projectId } = key;
      const project = await directory.project(projectId);
      if (project === undefined) throw new NotFound('Project not found.');
      const found = await findTarget(projectId, target);
      if (found === undefined) {
        throw new NotFound(target.kind === 'report' ? 'Report not found.' : 'Dashboard not found.');
      }
      if (found.isNarrowed) {
        throw new Conflict(
          'Subscriptions send saved runs. Remove the range and the filters of the dashboard first.',
        );
      }
      const members = await requireMembers(directory, project.companyId, definition.recipients, 'recipients');
      return change.transaction(async (tx) => {
        await hold(tx, projectId, target);
        const locked = createSubscriptionsStore(tx);
        await locked.lock(projectId);
        const chats = createChannelsStore(tx);
        const stored = await chats.list(projectId, key.id);
        const given = definition.channels;
        const kept = given === undefined ? stored : await channels.rowsOf(key, given, stored);
        if (target.kind === 'threads' && kept.length > 0) {
          throw new BadRequest(
            'channels: a digest of threads differs for each recipient, so channels get none',
          );
        }
        if (members.length === 0 && kept.length === 0) {
          throw new BadRequest('recipients: name a member, or add a channel');
        }
        const now = clock.now();
        const nextAt = enabled ? nextTime(schedule, now) : null;
        const set = {
          companyId: project.companyId,
          targetKind: target.kind,
          targetId: 'id' in target ? target.id : '',
          schedule,
          enabled,
          pausedReason: null,
          nextAt,
          runningSince: null,
          stepAt: nextAt,
          failedAt: null,
          failure: null,
          unopened: 0,
          updatedAt: now,
        };
        if ((await locked.find(key)) !== undefined) await locked.change(key, set);
        else if ((await locked.count(projectId)) < MAX_SUBSCRIPTIONS) {
          await locked.insert({ ...key, ...set, createdBySub: sub, createdAt: now });
        } else {
          throw new Conflict(
            `The project already has ${MAX_SUBSCRIPTIONS} subscriptions; delete one of them first.`,
          );
        }
        await locked.skipWaiting(key);
        await locked.replaceSubscribers(
          key,
          members.map((member) => member.sub),
        );
        await chats.replace(key, kept);
        // Only they can undo that they have unsubscribed.
        await locked.setUnsubscribed(key, sub, null);
        return read(tx, key);
      });
    },

    async remove(change, key) {
      await change.transaction((tx) => createSubscriptionsStore(tx).remove(key));
    },

    async send(change, key) {
      await read(db, key);
      await limit.consume(key.projectId);
      await change.transaction(async (tx) => {
        const now = clock.now();
        const begun = { runningSince: now, isRequested: false, stepAt: now };
        if (!(await createSubscriptionsStore(tx).changeRunning(key, null, begun))) {
          throw new Conflict('The subscription is being sent.');
        }
      });
    },
  };
}

const present = (
  row: SubscriptionRow,
  recipients: readonly SubscriberRow[],
  channels: readonly ChannelRow[],
): Subscription => ({
  id: row.id,
  target: targetOf(row),
  schedule: row.schedule,
  recipients: recipients.map(({ sub, unsubscribedAt }) => ({ sub, unsubscribed: unsubscribedAt !== null })),
  channels: channels.map(({ kind, shortUrl: url }) => ({ kind, url })),
  enabled: row.enabled,
  pausedReason: row.pausedReason,
  nextAt: row.nextAt?.toISOString() ?? null,
  isSending: row.runningSince !== null,
  lastSentAt: row.lastSentAt?.toISOString() ?? null,
  failure: row.failedAt === null ? null : { at: row.failedAt.toISOString(), message: row.failure ?? '' },
  unopened: row.unopened,
  createdBySub: row.createdBySub,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
