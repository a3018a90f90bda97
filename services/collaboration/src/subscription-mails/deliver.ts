import { isGrantedByRole } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import type { Directory, Member } from '@switchboard/directory';
import { DeliveryFailed, type Mailer, Undeliverable } from '@switchboard/mail';
import { EndpointGone } from '@switchboard/push';
import type { Clock, Logger } from '@switchboard/runtime';
import type { Channels } from '../channels/channels.ts';
import { createChannelsStore } from '../channels/store.ts';
import { createDashboardsStore } from '../dashboards/store.ts';
import { createLocale } from '../page/render/locale.ts';
import type { SendPush } from '../shares/pushes.ts';
import {
  createSubscriptionsStore,
  type SubscriptionMailRow,
  type SubscriptionRow,
} from '../subscriptions/store.ts';
import { type FindTarget, targetOf } from '../subscriptions/target.ts';
import type { ReadUnread } from '../subscriptions/unread.ts';
import type { DrawCharts } from './charts.ts';
import type { Chat } from './chat.ts';
import { composeChatMessage } from './chat-messages.ts';
import { composeSubscription } from './compose.ts';
import type { SentReport } from './content.ts';
import { composeDigest, composeDigestPush } from './digest.ts';
import { type MailLinks, targetAddress } from './links.ts';
import { composeReportPush } from './pushes.ts';

interface DeliverOptions {
  db: Db;
  directory: Pick<Directory, 'project' | 'member'>;
  findTarget: FindTarget;
  readUnread: ReadUnread;
  mailer: Mailer;
  sendPush: SendPush;
  drawCharts: DrawCharts;
  chat: Chat;
  channels: Pick<Channels, 'urlOf'>;
  links: MailLinks;
  /** The address of the console. */
  consoleUrl: string;
  onSettled(state: 'sent' | 'failed' | 'skipped'): void;
  clock: Clock;
  logger: Logger;
}

/** Whether a job in a queue of deliveries is a mail, push or chat message of a subscription. */
export const isSubscriptionMail = (id: string) => id.startsWith('sml_');

/**
 * Sends a mail, push or chat message of a subscription. It is recorded as sent right after the server accepts it. If the
 * process ends in between, it is repeated, a mail with the same Message-ID and a push with the same topic.
 */
export function createDeliverSubscription(options: DeliverOptions) {
  const { db, directory, findTarget, readUnread, mailer, sendPush, drawCharts, chat, channels } = options;
  const { links, consoleUrl, onSettled, clock, logger } = options;
  const store = createSubscriptionsStore(db);
  const locale = createLocale('en');

  /** Returns the reports with their last runs. Throws Undeliverable if a run was removed since. */
  async function readReports(subscription: SubscriptionRow) {
    const { projectId, targetKind } = subscription;
    const kind = targetKind === 'dashboard' ? ('dashboard' as const) : ('report' as const);
    const target = await findTarget(projectId, targetOf(subscription));
    if (target === undefined) throw new Undeliverable(`the ${kind} does not exist`);
    const ids = target.reports.map(({ id }) => id);
    const times = await store.runTimes(projectId, ids);
    const runs = await createDashboardsStore(db).runs(projectId, ids);
    const reports = target.reports.map(({ id, name }): SentReport => {
      const [ranAt, report] = [times.get(id)?.ranAt, runs.get(id)];
      if (ranAt === undefined || report === undefined) throw new Undeliverable('a run was removed');
      return { id, name, ranAt, report };
    });
    if (reports.length === 0) throw new Undeliverable('the dashboard has no reports');
    return { kind, name: target.name, reports, timeZone: subscription.schedule.timeZone };
  }

  /** Returns whether it was sent: the project is still of the company, and the recipient may read what it shows. */
  async function send(mail: SubscriptionMailRow, subscription: SubscriptionRow): Promise<boolean> {
    const project = await directory.project(subscription.projectId);
    if (project?.companyId !== subscription.companyId) return false;
    if (mail.channelId !== null) return post(mail.channelId, subscription, project.name);
    const member = mail.sub === null ? undefined : await directory.member(subscription.companyId, mail.sub);
    const permission = subscription.targetKind === 'threads' ? 'comments.read' : 'insights.read';
    if (member === undefined || !isGrantedByRole(member.role, permission)) return false;
    const message = await compose(mail, subscription, member, project.name);
    if (message === undefined) return false;
    if (mail.endpoint !== null) await sendPush(mail.id, member, mail.endpoint, message.push());
    else {
      await mailer.send({
        id: mail.id,
        to: member.email,
        replyTo: undefined,
        sender: 'Switchboard',
        unsubscribe: message.unsubscribe,
        ...(await message.mail()),
      });
    }
    return true;
  }

  /** Composes a message to a member. Undefined if they have no unread threads. */
  async function compose(
    { isLast, runningSince }: SubscriptionMailRow,
    subscription: SubscriptionRow,
    { sub }: Member,
    project: string,
  ) {
    const to = await links.linksTo({ key: subscription, sub });
    const common = { project, isLast, links: to, home: consoleUrl };
    if (subscription.targetKind === 'threads') {
      const threads = await readUnread(subscription, sub, runningSince);
      if (threads.length === 0) return undefined;
      const digest = { ...common, threads };
      return { ...to, mail: () => composeDigest(digest), push: () => composeDigestPush(digest) };
    }
    const content = await readReports(subscription);
    return {
      ...to,
      async mail() {
        const charts = await drawCharts(subscription.projectId, content.reports);
        return composeSubscription({ ...common, ...content, charts }, locale);
      },
      push: () => composeReportPush({ ...content, project, link: to.open }, locale),
    };
  }

  /** Returns whether the message was sent: the subscription still has the channel. */
  async function post(channelId: string, subscription: SubscriptionRow, project: string): Promise<boolean> {
    const channel = await createChannelsStore(db).find(subscription, channelId);
    if (channel === undefined) return false;
    const content = await readReports(subscription);
    const link = targetAddress(consoleUrl, subscription);
    const body = composeChatMessage(channel.kind, { ...content, project, link }, locale);
    await chat.post(channel.kind, await channels.urlOf(channel), body);
    return true;
  }

  /** Shows a failure in the list of subscriptions. */
  const show = (subscription: SubscriptionRow, failure: string) =>
    store.change(subscription, { failedAt: clock.now(), failure });

  return async (id: string, isLast: boolean): Promise<void> => {
    const found = await store.findWaiting(id);
    if (found === undefined) return;
    const { mail, subscription } = found;
    const settle = async (state: 'sent' | 'failed' | 'skipped') => {
      await store.settle(id, state);
      onSettled(state);
    };
    try {
      if (!(await send(mail, subscription))) return await settle('skipped');
    } catch (error) {
      if (!(error instanceof DeliveryFailed)) throw error;
      // The member's browser has unsubscribed.
      if (error instanceof EndpointGone) return await settle('skipped');
      logger.warn({ mail: id, reason: error.message }, 'mail of a subscription failed');
      const isFinal = isLast || error instanceof Undeliverable;
      const what = mail.channelId !== null ? 'A chat message' : mail.endpoint !== null ? 'A push' : 'A mail';
      await show(
        subscription,
        `${what} was not sent: ${error.message}.${isFinal ? '' : ' It will be sent again.'}`,
      );
      if (isFinal) return settle('failed');
      throw error;
    }
    await settle('sent');
    const hasFailed = await store.hasFailed(mail);
    await store.change(subscription, {
      lastSentAt: clock.now(),
      ...(!hasFailed && { failedAt: null, failure: null }),
    });
  };
}
