import { openMailer } from '@switchboard/mail';
import { openPusher } from '@switchboard/push';
import type { Collaboration } from '../config.ts';
import type { Renderer } from '../page/thread/renderer.ts';
import { createDeliver } from '../shares/deliver.ts';
import { createDeliveryPlan } from '../shares/plan.ts';
import { createSendPush } from '../shares/pushes.ts';
import { createDeliveryQueue } from '../shares/queue.ts';
import { createSharesStore } from '../shares/store.ts';
import { isSubscriptionMail } from '../subscription-mails/deliver.ts';
import { openSubscriptionMails } from './subscriptions.ts';

export type Deliveries = ReturnType<typeof openDeliveries>;

/** Opens the queue of e-mails and pushes about shares and comments, and of all that subscriptions send. */
export function openDeliveries(service: Collaboration, renderer: Renderer, retrySeconds?: number) {
  const { add, config, databaseUrl, db, logger, metrics } = service;
  const settled = {
    sent: metrics.counter(
      'switchboard_deliveries_sent_total',
      'E-mails, pushes and chat messages that a server accepted.',
    ),
    failed: metrics.counter(
      'switchboard_deliveries_failed_total',
      'E-mails, pushes and chat messages that failed permanently.',
    ),
    skipped: metrics.counter(
      'switchboard_deliveries_skipped_total',
      'E-mails, pushes and chat messages that were not sent because their reason ended first: a comment was read, changed or deleted, or a subscriber or their browser left.',
    ),
  };
  const store = createSharesStore(db);
  const mailer = openMailer(config, metrics);
  add(mailer, { stop: mailer.close });
  const pusher = openPusher(config, metrics);
  if (pusher === undefined) logger.info('no VAPID keys set, sending by e-mail only');
  const sendPush = createSendPush({ ...service, store, pusher });
  const deliverShare = createDeliver({
    ...service,
    store,
    mailer,
    sendPush,
    consoleUrl: config.CONSOLE_URL,
    onSettled: (_channel, state) => settled[state].add(),
  });
  const deliverSubscription = openSubscriptionMails(service, { mailer, sendPush, renderer }, (state) =>
    settled[state].add(),
  );
  const queue = createDeliveryQueue({
    databaseUrl,
    migrationsUrl: config.MIGRATIONS_DATABASE_URL,
    logger,
    retrySeconds,
    deliver: (id, isLast) => (isSubscriptionMail(id) ? deliverSubscription : deliverShare)(id, isLast),
  });
  add(queue);
  metrics.gaugeBy(
    'switchboard_deliveries_waiting',
    'Pending e-mails, pushes and chat messages, retries included.',
    [],
    async () => [{ labels: {}, value: await queue.waiting() }],
  );
  return {
    store,
    queue,
    planDeliveries: createDeliveryPlan({ store, canPush: pusher !== undefined }),
    onSkipped: () => settled.skipped.add(),
  };
}
