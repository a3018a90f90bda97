import { type CreateRateLimit, projectOfRegion, runOnce } from '@switchboard/http';
import type { Mailer } from '@switchboard/mail';
import { createEncryption, createSender, strangersNames } from '@switchboard/runtime';
import { createChannels } from '../channels/channels.ts';
import { createChannelsStore } from '../channels/store.ts';
import type { Collaboration } from '../config.ts';
import { createInbox } from '../inbox/inbox.ts';
import { createInboxStore } from '../inbox/store.ts';
import type { Renderer } from '../page/thread/renderer.ts';
import type { PlanDeliveries } from '../shares/plan.ts';
import type { SendPush } from '../shares/pushes.ts';
import type { DeliveryQueue } from '../shares/queue.ts';
import { createDrawCharts } from '../subscription-mails/charts.ts';
import { createChat } from '../subscription-mails/chat.ts';
import { createDeliverSubscription } from '../subscription-mails/deliver.ts';
import { createMailLinks } from '../subscription-mails/links.ts';
import { subscriptionMailsRoutes } from '../subscription-mails/routes.ts';
import { createSubscribers } from '../subscription-mails/subscribers.ts';
import { subscriptionsRoutes } from '../subscriptions/routes.ts';
import { createSending } from '../subscriptions/sending.ts';
import { createSubscriptions } from '../subscriptions/subscriptions.ts';
import { createFindTarget } from '../subscriptions/target.ts';
import { createReadUnread } from '../subscriptions/unread.ts';

const SENDS_PER_HOUR = 100;
const SENDS_BY_HAND_PER_HOUR = 20;
const CHAT_TIMEOUT_MS = 10_000;

/** Creates the delivery of mails, pushes and chat messages of subscriptions. */
export function openSubscriptionMails(
  service: Collaboration,
  { mailer, sendPush, renderer }: { mailer: Mailer; sendPush: SendPush; renderer: Renderer },
  onSettled: (state: 'sent' | 'failed' | 'skipped') => void,
) {
  return createDeliverSubscription({
    ...service,
    findTarget: createFindTarget(service),
    readUnread: readUnreadOf(service),
    mailer,
    sendPush,
    drawCharts: createDrawCharts({ ...service, renderer }),
    chat: openChat(service),
    channels: channelsOf(service),
    links: linksOf(service),
    consoleUrl: service.config.CONSOLE_URL,
    onSettled,
  });
}

const readUnreadOf = (service: Collaboration) =>
  createReadUnread({
    ...service,
    inbox: createInbox({ ...service, store: createInboxStore(service.db) }),
  });

const openChat = ({ config }: Collaboration) =>
  createChat(
    createSender({
      config,
      timeoutMs: CHAT_TIMEOUT_MS,
      maxBytes: 0,
      privateNetworks: { setting: 'WEBHOOK_PRIVATE_NETWORKS', networks: config.WEBHOOK_PRIVATE_NETWORKS },
      resolve: strangersNames(),
    }),
  );

const channelsOf = ({ config }: Collaboration) =>
  createChannels({
    encryption: createEncryption({ secrets: config.LINK_SECRET, purpose: 'subscription channel' }),
    networks: config.WEBHOOK_PRIVATE_NETWORKS,
  });

const linksOf = ({ config }: Collaboration) =>
  createMailLinks({
    encryption: createEncryption({ secrets: config.LINK_SECRET, purpose: 'subscription mail' }),
    baseUrl: config.PUBLIC_LINK_BASE_URL,
  });

/** Opens the subscriptions of reports, dashboards and threads, which are sent on a schedule. */
export function openSubscriptions(
  service: Collaboration,
  {
    queue,
    planDeliveries,
    limit,
  }: { queue: DeliveryQueue; planDeliveries: PlanDeliveries; limit: CreateRateLimit },
  everyMs: number | undefined,
): void {
  const { app, config, db, directory, logger, region, run } = service;
  const findTarget = createFindTarget(service);
  const channels = channelsOf(service);
  const subscriptions = createSubscriptions({
    ...service,
    findTarget,
    channels,
    limit: limit({
      name: 'sent subscriptions of a project',
      points: SENDS_BY_HAND_PER_HOUR * config.RATE_LIMITS_MULTIPLIER,
      durationSeconds: 3600,
    }),
  });
  subscriptionsRoutes(app, { subscriptions, ofProject: projectOfRegion(directory, region) });
  subscriptionMailsRoutes(app, {
    links: linksOf(service),
    subscribers: createSubscribers({ ...service, findTarget, consoleUrl: config.CONSOLE_URL }),
    limit: limit({ name: 'links of mails of an address', points: 60, durationSeconds: 60 }),
  });
  run(
    runOnce((signal) => channels.reencrypt(createChannelsStore(db), logger, signal)),
    createSending({
      ...service,
      findTarget,
      readUnread: readUnreadOf(service),
      planDeliveries,
      queue,
      everyMs,
      replication: config.TOPIC_REPLICATION,
      sendsPerHour: SENDS_PER_HOUR * config.RATE_LIMITS_MULTIPLIER,
    }),
  );
}
