import { auditMigrations } from '@switchboard/audit';
import { createUseReporter, DIRECTORY_TOMBSTONE_RETENTION_MS, DIRECTORY_TOPIC } from '@switchboard/directory';
import type { TopicSpec } from '@switchboard/event-log';
import {
  createApp,
  createAuditTrail,
  createRateLimits,
  startable,
  migrateDatabase,
  openServiceDatabase,
} from '@switchboard/http';
import { poll } from '@switchboard/resilience';
import { createRetention, openEventLog } from '@switchboard/runtime';
import { ownDirectory } from './access/own-directory.ts';
import { createAiModels } from './ai-models/ai-models.ts';
import { aiModelsRoutes } from './ai-models/routes.ts';
import { createAudit } from './audit/audit.ts';
import { createAuditIntake } from './audit/intake.ts';
import { auditRoutes } from './audit/routes.ts';
import { createAuditStore } from './audit/store.ts';
import { createCompanies } from './companies/companies.ts';
import { createCompanyRemovals } from './companies/removal.ts';
import { companiesRoutes } from './companies/routes.ts';
import { createWriteRate } from './companies/write-rate.ts';
import { type CatalogueConfig, catalogueSettings } from './config.ts';
import { createBeginnings } from './erasures/beginnings.ts';
import { createErasures } from './erasures/erasures.ts';
import { createErasureReports } from './erasures/reports.ts';
import { erasuresRoutes } from './erasures/routes.ts';
import { createErasuresStore } from './erasures/store.ts';
import { createMembers } from './members/members.ts';
import { membersRoutes } from './members/routes.ts';
import { createOutbox } from './outbox/outbox.ts';
import { createRelay } from './outbox/relay.ts';
import { createOutboxStore } from './outbox/store.ts';
import { createOwn } from './own/own.ts';
import { ownRoutes } from './own/routes.ts';
import { createPlans } from './plans/plans.ts';
import { plansRoutes } from './plans/routes.ts';
import { createProjectKeys } from './project-keys/project-keys.ts';
import { projectKeysRoutes } from './project-keys/routes.ts';
import { createProjects } from './projects/projects.ts';
import { projectsRoutes } from './projects/routes.ts';
import { type ListRefresh, startListRefresh } from './published-lists/refresh.ts';
import { createReports } from './reports/reports.ts';
import { reportsRoutes } from './reports/routes.ts';
import { republish } from './republication/republication.ts';
import { expiringData } from './retention/retention.ts';
import { catalogueMigrations } from './schema/migrations.ts';
import { throttlesRoutes } from './throttles/routes.ts';
import { createThrottles } from './throttles/throttles.ts';
import { tokensRoutes } from './tokens/routes.ts';
import { createTokensStore } from './tokens/store.ts';
import { createTokens } from './tokens/tokens.ts';
import { createTokenUses } from './tokens/uses.ts';

const PUBLISH_OPEN_MS = 3_600_000;

/** Owns plans, AI models, the directory and the audit trail, and publishes the topic `directory`. */
export const catalogueService = startable({
  name: 'catalogue',
  settings: catalogueSettings,
  migrations: [auditMigrations, catalogueMigrations],
  create(context) {
    const { config, logger, metrics, clock } = context;
    const database = openServiceDatabase(context);
    const db = database.drizzle;
    const log = openEventLog(context, 'catalogue', context.instance);
    const trail = createAuditTrail({ service: 'catalogue', context, db: database.drizzle, log });
    const outbox = createOutbox(db);
    const relay = createRelay({ database, log, topic: topicOf(config), logger });
    const plans = createPlans({ db, outbox });
    const models = createAiModels({ db });
    const { REGION: region, TOPIC_REPLICATION: replication } = config;
    const { ERASURE_REGIONS: regions, ERASURE_SERVICES: services } = config;
    const beginnings = createBeginnings({ region, regions, services });
    const removals = createCompanyRemovals({ db, outbox, beginnings, logger });
    const companies = createCompanies({ db, outbox, removals });
    const members = createMembers({ db, outbox, companies });
    const projects = createProjects({ db, outbox, companies, beginnings });
    const projectKeys = createProjectKeys({ db, outbox, projects });
    const reports = createReports({ db, outbox, projects });

    const tokens = createTokens({ db, outbox, companies, clock, maxDays: config.TOKEN_MAX_DAYS });

    const erasures = createErasures({ db, outbox, beginnings });
    const erasureReports = createErasureReports({
      log,
      erasures,
      republish: (entries) => republish(outbox, entries),
      replication,
      logger,
    });

    const { noteUses } = createTokensStore(db);
    const tokenUses = createTokenUses({ log, noteUses, replication, logger });
    const ownUses = createUseReporter({
      report: noteUses,
      onError: (error) => logger.failed('store uses of tokens', error),
    });

    const directory = ownDirectory(db, ownUses);
    const auditStore = createAuditStore(db);
    const auditIntake = createAuditIntake({ log, store: auditStore, replication, logger });
    const retention = createRetention({
      database,
      data: expiringData({
        audit: auditStore,
        erasures: createErasuresStore(db),
        auditDays: config.AUDIT_RETENTION_DAYS,
        erasureDays: config.ERASURES_RETENTION_DAYS,
      }),
      clock,
      logger,
      metrics,
    });

    const app = createApp({ service: 'catalogue', context, database, directory, audit: trail });
    const createLimit = createRateLimits(undefined);
    const rate = createWriteRate(
      createLimit({
        name: 'changes of a company',
        points: config.DIRECTORY_WRITES_PER_COMPANY_PER_MINUTE,
        durationSeconds: 60,
      }),
    );
    plansRoutes(app, { plans });
    aiModelsRoutes(app, { models });
    companiesRoutes(app, { companies, rate });
    membersRoutes(app, { members, rate });
    projectsRoutes(app, { projects, rate });
    projectKeysRoutes(app, { projectKeys, rate });
    const throttles = createThrottles({ db, outbox });
    throttlesRoutes(app, { throttles });
    reportsRoutes(app, { reports, rate });
    tokensRoutes(app, { tokens, rate });
    erasuresRoutes(app, { erasures });
    auditRoutes(app, { audit: createAudit({ store: auditStore }), projects, logger });
    ownRoutes(app, { own: createOwn({ db }) });

    const { lagSeconds } = createOutboxStore(db);
    metrics.gaugeBy(
      'switchboard_outbox_lag_seconds',
      'Age of the oldest unpublished directory change.',
      [],
      async () => [{ labels: {}, value: await lagSeconds() }],
    );

    metrics.gaugeBy('switchboard_projects_throttled', 'Throttled projects.', [], async () => [
      { labels: {}, value: await throttles.count() },
    ]);

    metrics.gaugeBy(
      'switchboard_erasure_oldest_seconds',
      'Age of the oldest unfinished erasure.',
      [],
      async () => [{ labels: {}, value: await erasures.oldestSeconds() }],
    );

    const stopping = new AbortController();
    let publishing: Promise<void> | undefined;
    let refresh: ListRefresh | undefined;
    return {
      app,
      async start() {
        await migrateDatabase(config, [auditMigrations, catalogueMigrations]);
        refresh ??= await startListRefresh({ database, lists: [plans.published, models.published], logger });
        await relay.start();
        removals.start();
        erasureReports.start();
        publishing ??= poll(erasures.publishOpen, {
          everyMs: PUBLISH_OPEN_MS,
          signal: stopping.signal,
          onFailure: (error) => logger.failed('publish open erasures', error),
        });
        tokenUses.start();
        ownUses.start();
        trail.start();
        auditIntake.start();
        retention.start();
      },
      async stop() {
        stopping.abort();
        await Promise.all([removals.stop(), publishing]);
        await Promise.all([relay.stop(), refresh?.stop(), erasureReports.stop(), tokenUses.stop()]);
        await Promise.all([ownUses.stop(), trail.stop(), auditIntake.stop(), retention.stop()]);
        await log.close();
        await database.close();
      },
    };
  },
});

function topicOf(config: CatalogueConfig): TopicSpec {
  return {
    name: DIRECTORY_TOPIC,
    partitions: config.TOPIC_PARTITIONS,
    isPlaced: true,
    replication: config.TOPIC_REPLICATION,
    cleanup: 'compact',
    tombstoneRetentionMs: DIRECTORY_TOMBSTONE_RETENTION_MS,
  };
}
