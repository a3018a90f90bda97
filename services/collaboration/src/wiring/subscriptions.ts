import { type CreateRateLimit, projectOfRegion } from '@switchboard/http';
import type { Mailer } from '@switchboard/mail';
import { createEncryption } from '@switchboard/runtime';
import type { Collaboration } from '../config.ts';
import type { DeliveryQueue } from '../shares/queue.ts';
import { createDeliverSubscription } from '../subscription-mails/deliver.ts';
import { createMailLinks } from '../subscription-mails/links.ts';
import { subscriptionMailsRoutes } from '../subscription-mails/routes.ts';
import { createSubscribers } from '../subscription-mails/subscribers.ts';
import { subscriptionsRoutes } from '../subscriptions/routes.ts';
import { createSending } from '../subscriptions/sending.ts';
import { createSubscriptions } from '../subscriptions/subscriptions.ts';
import { createFindTarget } from '../subscriptions/target.ts';

const SENDS_PER_HOUR = 100;
const SENDS_BY_HAND_PER_HOUR = 20;

/** Creates the delivery of mails of subscriptions. */
export function openSubscriptionMails(
  service: Collaboration,
  mailer: Mailer,
  onSettled: (state: 'sent' | 'failed' | 'skipped') => void,
) {
  return createDeliverSubscription({
    ...service,
    findTarget: createFindTarget(service),
    mailer,
    links: linksOf(service),
    consoleUrl: service.config.CONSOLE_URL,
    onSettled,
  });
}

const linksOf = ({ config }: Collaboration) =>
  createMailLinks({
    encryption: createEncryption({ secrets: config.LINK_SECRET, purpose: 'subscription mail' }),
    baseUrl: config.PUBLIC_LINK_BASE_URL,
  });

/** Opens the subscriptions of reports and dashboards, which are mailed on a schedule. */
export function openSubscriptions(
  service: Collaboration,
  { queue, limit }: { queue: DeliveryQueue; limit: CreateRateLimit },
  everyMs: number | undefined,
): void {
  const { app, config, directory, region, run } = service;
  const findTarget = createFindTarget(service);
  const subscriptions = createSubscriptions({
    ...service,
    findTarget,
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
    createSending({
      ...service,
      findTarget,
      queue,
      everyMs,
      replication: config.TOPIC_REPLICATION,
      sendsPerHour: SENDS_PER_HOUR * config.RATE_LIMITS_MULTIPLIER,
    }),
  );
}
