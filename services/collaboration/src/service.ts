import { fileURLToPath } from 'node:url';
import { migrate, openDatabase } from '@switchboard/database';
import { directoryMigrations, openDirectory } from '@switchboard/directory';
import {
  createApp,
  createRateLimits,
  createSealing,
  defineService,
  openEventLog,
  openRedis,
} from '@switchboard/service-kit';
import { createAnnotations } from './annotations/annotations.ts';
import { routeAnnotations } from './annotations/routes.ts';
import { createAnnotationStore } from './annotations/store.ts';
import { createThreadReader } from './comments/read.ts';
import { routeComments } from './comments/routes.ts';
import { createCommentStore } from './comments/store.ts';
import { createThreads } from './comments/threads.ts';
import { type Config, settings } from './config.ts';
import { createPage } from './page/page.ts';
import { routePage } from './page/routes.ts';
import { createPublicLinks } from './public-links/public-links.ts';
import { routePublicLinks, routeSharedReports } from './public-links/routes.ts';
import { createSharedReports } from './public-links/shared-reports.ts';
import { createLinkStore } from './public-links/store.ts';
import { routeRuns } from './runs/routes.ts';
import { createRuns } from './runs/runs.ts';
import { createRunStore } from './runs/store.ts';
import { createDeliver } from './shares/deliver.ts';
import { folderMailer, type Mailer, smtpMailer } from './shares/mailer.ts';
import { type Pusher, webPusher } from './shares/pusher.ts';
import { createDeliveryQueue } from './shares/queue.ts';
import { routeShares } from './shares/routes.ts';
import { createShares } from './shares/shares.ts';
import { createShareStore } from './shares/store.ts';

/** This service's tables, for `migrate` of `@switchboard/database`. */
export const migrations = { folder: fileURLToPath(new URL('../migrations', import.meta.url)) };

/** Annotations, public links and their page, shares and comment threads. */
export const collaborationService = defineService({
  name: 'collaboration',
  settings,
  migrations: [directoryMigrations, migrations],
  create(context) {
    const { config, logger, clock, metrics } = context;
    const database = openDatabase({ url: config.DATABASE_URL, applicationName: 'collaboration' });
    const log = openEventLog(context, 'collaboration');
    const directory = openDirectory({ database, log, service: 'collaboration', logger });
    const redis = config.REDIS_URL === undefined ? undefined : openRedis(config.REDIS_URL, logger, metrics);
    const app = createApp({ service: 'collaboration', context, directory, database });
    app.health.add('database', database.ping);

    const settled = {
      sent: metrics.counter(
        'switchboard_deliveries_sent_total',
        'E-mails and pushes of shares that were taken.',
      ),
      failed: metrics.counter('switchboard_deliveries_failed_total', 'Those that were given up.'),
    };

    const annotationStore = createAnnotationStore(database);
    const annotations = createAnnotations({
      store: annotationStore,
      directory,
      clock,
    });
    const threads = createThreads({
      store: createCommentStore(database),
      reader: createThreadReader(database),
      directory,
      clock,
    });
    const linkStore = createLinkStore(database);
    const links = createPublicLinks({
      store: linkStore,
      directory,
      clock,
      cipher: createSealing({ secrets: config.LINK_SECRET, purpose: 'public link' }),
      baseUrl: config.PUBLIC_LINK_BASE_URL,
    });
    const limit = createRateLimits(redis);
    const sharedReports = createSharedReports({
      store: linkStore,
      directory,
      clock,
      limits: {
        ofAddress: limit({ name: 'shared reports of an address', points: 30, durationSeconds: 60 }),
        ofLink: limit({ name: 'reads of a link', points: 60, durationSeconds: 60 }),
      },
    });
    const runs = createRuns({ store: createRunStore(database), directory, clock });

    const shareStore = createShareStore(database);
    const mailer = openMailer(config);
    const pusher = openPusher(config);
    if (pusher === undefined) logger.info('no VAPID keys are set: shares go by e-mail alone');
    const consoleUrl = config.CONSOLE_URL;
    const queue = createDeliveryQueue({
      databaseUrl: config.DATABASE_URL,
      logger,
      retrySeconds: config.DELIVERY_RETRY_SECONDS,
      deliver: createDeliver({
        store: shareStore,
        directory,
        mailer,
        pusher,
        clock,
        logger,
        consoleUrl,
        onSettled: (_channel, state) => settled[state].add(),
      }),
    });
    metrics.gaugeBy(
      'switchboard_deliveries_waiting',
      'E-mails and pushes of shares that are not done yet, retries among them.',
      [],
      async () => [{ labels: {}, value: await queue.waiting() }],
    );
    const shares = createShares({
      store: shareStore,
      queue,
      directory,
      clock,
      consoleUrl,
      canPush: pusher !== undefined,
    });

    routeAnnotations(app, annotations);
    routeComments(app, threads);
    routePublicLinks(app, links);
    routeSharedReports(app, sharedReports);
    routePage(app, createPage({ sharedReports, annotations: annotationStore }));
    routeRuns(app, runs);
    routeShares(app, shares);

    const leaving = new AbortController();
    let sealingAnew: Promise<void> | undefined;
    return {
      app,
      async start() {
        await migrate(config.DATABASE_URL, migrations);
        await migrate(config.DATABASE_URL, directoryMigrations);
        await directory.start();
        await queue.start();
        sealingAnew ??= links.sealAnew(logger, leaving.signal);
      },
      async stop() {
        leaving.abort();
        await sealingAnew;
        await queue.stop();
        mailer.close();
        await directory.stop();
        await log.close();
        redis?.disconnect();
        await database.close();
      },
    };
  },
});

function openMailer({ SMTP_URL, MAIL_DIR, MAIL_FROM }: Config): Mailer {
  if (SMTP_URL !== undefined) return smtpMailer(SMTP_URL, MAIL_FROM);
  if (MAIL_DIR === undefined) throw new Error('the settings name no place for mails');
  return folderMailer(MAIL_DIR, MAIL_FROM);
}

function openPusher({ VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY, MAIL_FROM }: Config): Pusher | undefined {
  if (VAPID_PUBLIC_KEY === undefined || VAPID_PRIVATE_KEY === undefined) return undefined;
  return webPusher({
    publicKey: VAPID_PUBLIC_KEY,
    privateKey: VAPID_PRIVATE_KEY,
    subject: `mailto:${MAIL_FROM}`,
  });
}
