import { auditMigrations } from '@switchboard/audit';
import { directoryMigrations, openDirectory, openErasures } from '@switchboard/directory';
import {
  createApp,
  createAuditTrail,
  createRateLimits,
  directUrl,
  migrateDatabase,
  openServiceDatabase,
  projectOfRegion,
  startable,
} from '@switchboard/http';
import {
  createEncryption,
  createRetention,
  createSender,
  type Metrics,
  measureCalls,
  openEventLog,
  openRedis,
  strangersNames,
} from '@switchboard/runtime';
import { createAnnotations } from './annotations/annotations.ts';
import { annotationsRoutes } from './annotations/routes.ts';
import { createAnnotationsStore } from './annotations/store.ts';
import { createComments } from './comments/comments.ts';
import { commentsRoutes } from './comments/routes.ts';
import { createCommentsStore } from './comments/store.ts';
import { type CollaborationConfig, collaborationSettings } from './config.ts';
import { createErasure } from './erasure/erasure.ts';
import { createErasureStore } from './erasure/store.ts';
import { createMentions } from './mentions/mentions.ts';
import { createPage } from './page/page.ts';
import { pageRoutes } from './page/routes.ts';
import { createPublicLinks } from './public-links/public-links.ts';
import { publicLinksRoutes } from './public-links/routes.ts';
import { createPublicLinksStore } from './public-links/store.ts';
import { removeDependents } from './removals/removals.ts';
import { createRemovalsStore } from './removals/store.ts';
import { expiringData } from './retention/retention.ts';
import { createRetentionStore } from './retention/store.ts';
import { createRunsConsumer } from './runs/consumer.ts';
import { runsRoutes } from './runs/routes.ts';
import { createRuns } from './runs/runs.ts';
import { createRunsStore } from './runs/store.ts';
import { collaborationMigrations } from './schema/migrations.ts';
import { sharedReportsRoutes } from './shared-reports/routes.ts';
import { createSharedReports } from './shared-reports/shared-reports.ts';
import { createSharedReportsStore } from './shared-reports/store.ts';
import { createDeliver } from './shares/deliver.ts';
import { folderMailer, type Mailer, smtpMailer } from './shares/mailer.ts';
import { createDeliveryPlan } from './shares/plan.ts';
import { type Pusher, webPusher } from './shares/pusher.ts';
import { createDeliveryQueue } from './shares/queue.ts';
import { sharesRoutes } from './shares/routes.ts';
import { createShares } from './shares/shares.ts';
import { createSharesStore } from './shares/store.ts';

const PUSH_TIMEOUT_MS = 10_000;

/** Annotations, public links and their page, shares and comment threads. */
export const collaborationService = startable({
  name: 'collaboration',
  settings: collaborationSettings,
  migrations: [directoryMigrations, auditMigrations, collaborationMigrations],
  create(context) {
    const { config, logger, clock, metrics } = context;
    const database = openServiceDatabase(context);
    const db = database.drizzle;
    const log = openEventLog(context, 'collaboration', context.instance);
    const audit = createAuditTrail({ service: 'collaboration', context, db: database.drizzle, log });
    const directory = openDirectory({
      database,
      log,
      service: 'collaboration',
      logger,
      onRemoved: removeDependents,
    });
    const redis = config.REDIS_URL === undefined ? undefined : openRedis(config.REDIS_URL, context);
    const app = createApp({ service: 'collaboration', context, directory, database, audit });
    app.health.add('database', database.ping);

    const annotations = createAnnotations({ store: createAnnotationsStore(db), directory, clock });
    const links = createPublicLinks({
      store: createPublicLinksStore(db),
      directory,
      clock,
      encryption: createEncryption({ secrets: config.LINK_SECRET, purpose: 'public link' }),
      baseUrl: config.PUBLIC_LINK_BASE_URL,
    });
    const limit = createRateLimits(redis, context.share);
    const sharedReports = createSharedReports({
      store: createSharedReportsStore(database.prepared),
      directory,
      region: config.REGION,
      clock,
      limit: limit(
        { name: 'shared reports of an address', points: 30, durationSeconds: 60 },
        { name: 'reads of a link', points: 60, durationSeconds: 60 },
      ),
    });
    const page = createPage({ sharedReports, annotations });
    metrics.cache('report runs', sharedReports.reads);
    metrics.cache('report pages', page.reads);
    const runs = createRuns({ store: createRunsStore(db), directory, clock });

    const runsConsumer = createRunsConsumer({ log, runs, logger });

    const settled = {
      sent: metrics.counter(
        'switchboard_deliveries_sent_total',
        'E-mails and pushes that a mail server or push service accepted.',
      ),
      failed: metrics.counter(
        'switchboard_deliveries_failed_total',
        'E-mails and pushes that failed permanently.',
      ),
      skipped: metrics.counter(
        'switchboard_deliveries_skipped_total',
        'E-mails and pushes that were not sent because their comment was read, changed or deleted first.',
      ),
    };
    const sharesStore = createSharesStore(db);
    const mailer = openMailer(config, metrics);
    const pusher = openPusher(config, metrics);
    if (pusher === undefined) logger.info('VAPID keys are not set, sending shares by e-mail only');
    const consoleUrl = config.CONSOLE_URL;
    const queue = createDeliveryQueue({
      databaseUrl: directUrl(config),
      migrationsUrl: config.MIGRATIONS_DATABASE_URL,
      logger,
      retrySeconds: config.DELIVERY_RETRY_SECONDS,
      deliver: createDeliver({
        store: sharesStore,
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
      'Pending e-mails and pushes, retries included.',
      [],
      async () => [{ labels: {}, value: await queue.waiting() }],
    );
    const planDeliveries = createDeliveryPlan({ store: sharesStore, canPush: pusher !== undefined });
    const shares = createShares({
      store: sharesStore,
      queue,
      directory,
      planDeliveries,
      clock,
      consoleUrl,
      limit: limit(
        { name: 'shares of a person', points: config.SHARES_PER_PERSON_PER_HOUR, durationSeconds: 3600 },
        { name: 'shares of a company', points: config.SHARES_PER_COMPANY_PER_HOUR, durationSeconds: 3600 },
      ),
    });

    const mentions = createMentions({
      store: sharesStore,
      queue,
      directory,
      planDeliveries,
      clock,
      consoleUrl,
      delaySeconds: config.MENTION_DELAY_SECONDS,
      limit: limit(
        { name: 'mentions of a person', points: config.SHARES_PER_PERSON_PER_HOUR, durationSeconds: 3600 },
        { name: 'mentions of a company', points: config.SHARES_PER_COMPANY_PER_HOUR, durationSeconds: 3600 },
      ),
      onSkipped: () => settled.skipped.add(),
    });
    const comments = createComments({
      store: createCommentsStore(database.prepared),
      directory,
      mentions,
      clock,
    });

    annotationsRoutes(app, { annotations });
    commentsRoutes(app, { comments });
    publicLinksRoutes(app, { links });
    sharedReportsRoutes(app, { sharedReports });
    pageRoutes(app, { page });
    runsRoutes(app, { runs, ofProject: projectOfRegion(directory, config.REGION) });
    sharesRoutes(app, { shares });

    const erasures = openErasures({
      database,
      databaseUrl: directUrl(config),
      log,
      service: 'collaboration',
      region: config.REGION,
      logger,
      eraser: (slow) =>
        createErasure({ store: createErasureStore(slow), removals: createRemovalsStore(slow), clock }),
    });

    const retention = createRetention({
      database,
      data: expiringData({
        store: createRetentionStore(db),
        commentDays: config.COMMENTS_RETENTION_DAYS,
        shareDays: config.SHARES_RETENTION_DAYS,
        runDays: config.REPORT_RUNS_RETENTION_DAYS,
      }),
      clock,
      logger,
      metrics,
    });

    const stopping = new AbortController();
    let reencryption: Promise<void> | undefined;
    return {
      app,
      async start() {
        // Installed first, so that the grants in the migrations cover its tables.
        await queue.install();
        await migrateDatabase(config, [collaborationMigrations, directoryMigrations, auditMigrations]);
        await directory.start();
        await queue.start();
        erasures.start();
        audit.start();
        runsConsumer.start();
        retention.start();
        reencryption ??= links.reencrypt(logger, stopping.signal);
      },
      async stop() {
        stopping.abort();
        await reencryption;
        await runsConsumer.stop();
        await Promise.all([erasures.stop(), retention.stop()]);
        await queue.stop();
        mailer.close();
        await directory.stop();
        await audit.stop();
        await log.close();
        redis?.disconnect();
        await database.close();
        await page.stop();
      },
    };
  },
});

function openMailer({ SMTP_URL, MAIL_DIR, MAIL_FROM }: CollaborationConfig, metrics: Metrics): Mailer {
  const measure = measureCalls({ metrics, dependency: 'mail server' });
  if (SMTP_URL !== undefined) return smtpMailer(SMTP_URL, MAIL_FROM, measure);
  if (MAIL_DIR === undefined) throw new Error('neither SMTP_URL nor MAIL_DIR is set');
  return folderMailer(MAIL_DIR, MAIL_FROM);
}

function openPusher(config: CollaborationConfig, metrics: Metrics): Pusher | undefined {
  const { VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY, MAIL_FROM, PUSH_PRIVATE_NETWORKS } = config;
  if (VAPID_PUBLIC_KEY === undefined || VAPID_PRIVATE_KEY === undefined) return undefined;
  const keys = {
    publicKey: VAPID_PUBLIC_KEY,
    privateKey: VAPID_PRIVATE_KEY,
    subject: `mailto:${MAIL_FROM}`,
  };
  const privateNetworks = { setting: 'PUSH_PRIVATE_NETWORKS', networks: PUSH_PRIVATE_NETWORKS };
  const resolve = strangersNames();
  const measure = measureCalls({ metrics, dependency: 'push service' });
  const bounds = { timeoutMs: PUSH_TIMEOUT_MS, maxBytes: 0 };
  return webPusher(keys, createSender({ config, ...bounds, privateNetworks, measure, resolve }));
}
