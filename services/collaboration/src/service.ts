import { auditMigrations } from '@switchboard/audit';
import { directoryMigrations, openErasures } from '@switchboard/directory';
import { createRateLimits, defineService, openAuditTrail, openReplica } from '@switchboard/http';
import { createRetention, openRedis } from '@switchboard/runtime';
import { createAnnotations } from './annotations/annotations.ts';
import { annotationsRoutes } from './annotations/routes.ts';
import { createAnnotationsStore } from './annotations/store.ts';
import { collaborationSettings } from './config.ts';
import { createErasure } from './erasure/erasure.ts';
import { createErasureStore } from './erasure/store.ts';
import { createRenderer } from './page/thread/renderer.ts';
import { removeDependents } from './removals/removals.ts';
import { createRemovalsStore } from './removals/store.ts';
import { expiringData } from './retention/retention.ts';
import { createRetentionStore } from './retention/store.ts';
import { collaborationMigrations } from './schema/migrations.ts';
import { type ShareLimits, shareLimits } from './shares/limits.ts';
import { installDeliveryQueue } from './shares/queue.ts';
import { openDeliveries } from './wiring/deliveries.ts';
import { openPublicLinks } from './wiring/public-links.ts';
import { openRuns } from './wiring/runs.ts';
import { openComments, openShares } from './wiring/shares.ts';
import { openSubscriptions } from './wiring/subscriptions.ts';
import { openUsage } from './wiring/usage.ts';

/** Constants that tests replace. */
export interface CollaborationConstants {
  shareLimits?: ShareLimits;
  mentionDelaySeconds?: number;
  deliveryRetrySeconds?: number;
  subscriptionsEveryMs?: number;
}

/** Annotations, dashboards, public links and their page, shares, subscriptions and comment threads. */
export const collaborationService = defineService({
  name: 'collaboration',
  settings: collaborationSettings,
  migrations: [directoryMigrations, auditMigrations, collaborationMigrations],
  directory: openReplica(removeDependents),
  audit: openAuditTrail,
  // The migrations grant access to its tables.
  beforeMigrations: ({ config, logger }) => installDeliveryQueue(config.MIGRATIONS_DATABASE_URL, logger),
  create(service, constants: CollaborationConstants = {}) {
    const { add, app, clock, config, database, db, run, share } = service;
    const redis = openRedis(config.REDIS_URL, service);
    add(redis, { stop: () => redis?.disconnect() });
    const limit = createRateLimits(redis, share);

    const annotations = createAnnotations({ ...service, store: createAnnotationsStore(db) });
    annotationsRoutes(app, { annotations });
    const renderer = add(createRenderer());
    openPublicLinks(service, { annotations, ...openRuns(service), renderer, limit });
    const needs = {
      ...openDeliveries(service, renderer, constants.deliveryRetrySeconds),
      limit,
      shareLimits: constants.shareLimits ?? shareLimits(config.RATE_LIMITS_MULTIPLIER),
    };
    openShares(service, needs);
    openComments(service, needs, constants.mentionDelaySeconds);
    openSubscriptions(service, needs, constants.subscriptionsEveryMs);
    openUsage(service);

    const data = expiringData({
      store: createRetentionStore(db),
      commentDays: config.COMMENTS_RETENTION_DAYS,
      shareDays: config.SHARES_RETENTION_DAYS,
      runDays: config.REPORT_RUNS_RETENTION_DAYS,
    });
    run(
      createRetention({ ...service, data }),
      openErasures({
        ...service,
        eraser: (slow) =>
          createErasure({ store: createErasureStore(slow), removals: createRemovalsStore(slow), clock }),
      }),
    );
    app.health.add('database', database.ping);
  },
});
