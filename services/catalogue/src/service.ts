import { migrate, openDatabase } from '@switchboard/database';
import { DIRECTORY_TOMBSTONE_RETENTION_MS, DIRECTORY_TOPIC } from '@switchboard/directory';
import type { TopicSpec } from '@switchboard/event-log';
import { createApp, currentHolder, defineService, openEventLog } from '@switchboard/service-kit';
import { ownDirectory } from './access/own-directory.ts';
import { createAiModels } from './ai-models/ai-models.ts';
import { aiModelsRoutes } from './ai-models/routes.ts';
import { createCompanies } from './companies/companies.ts';
import { companiesRoutes } from './companies/routes.ts';
import { type CatalogueConfig, catalogueSettings } from './config.ts';
import { createErasures } from './erasures/erasures.ts';
import { createErasureReports } from './erasures/reports.ts';
import { erasuresRoutes } from './erasures/routes.ts';
import { createMembers } from './members/members.ts';
import { membersRoutes } from './members/routes.ts';
import { createOutbox } from './outbox/outbox.ts';
import { createRelay } from './outbox/relay.ts';
import { createOutboxStore } from './outbox/store.ts';
import { createPlans } from './plans/plans.ts';
import { plansRoutes } from './plans/routes.ts';
import { createProjectKeys } from './project-keys/project-keys.ts';
import { projectKeysRoutes } from './project-keys/routes.ts';
import { createProjects } from './projects/projects.ts';
import { projectsRoutes } from './projects/routes.ts';
import { type ListRefresh, startListRefresh } from './published-lists/refresh.ts';
import { createReports } from './reports/reports.ts';
import { reportsRoutes } from './reports/routes.ts';
import { catalogueMigrations } from './schema/migrations.ts';

/** Owns plans, AI models and the directory, and publishes the topic `directory`. */
export const catalogueService = defineService({
  name: 'catalogue',
  settings: catalogueSettings,
  migrations: [catalogueMigrations],
  create(context) {
    const { config, logger, metrics } = context;
    const database = openDatabase({
      url: config.DATABASE_URL,
      applicationName: context.instance,
      holder: currentHolder,
    });
    const db = database.drizzle;
    const log = openEventLog(context, context.instance);
    const outbox = createOutbox(db);
    const relay = createRelay({ database, log, topic: topicOf(config), logger });
    const plans = createPlans({ db, outbox });
    const models = createAiModels({ db });
    const companies = createCompanies({ db, outbox });
    const members = createMembers({ db, outbox, companies });
    const projects = createProjects({ db, outbox, companies });
    const projectKeys = createProjectKeys({ db, outbox, projects });
    const reports = createReports({ db, outbox, projects });

    const { REGION: region, TOPIC_REPLICATION: replication } = config;
    const { ERASURE_REGIONS: regions, ERASURE_SERVICES: services } = config;
    const erasures = createErasures({ db, outbox, region, regions, services });
    const erasureReports = createErasureReports({ log, erasures, replication, logger });

    const app = createApp({ service: 'catalogue', context, database, directory: ownDirectory(db) });
    plansRoutes(app, { plans });
    aiModelsRoutes(app, { models });
    companiesRoutes(app, { companies });
    membersRoutes(app, { members });
    projectsRoutes(app, { projects });
    projectKeysRoutes(app, { projectKeys });
    reportsRoutes(app, { reports });
    erasuresRoutes(app, { erasures });

    const { lagSeconds } = createOutboxStore(db);
    metrics.gaugeBy(
      'switchboard_outbox_lag_seconds',
      'Age of the oldest directory change that is not published yet.',
      [],
      async () => [{ labels: {}, value: await lagSeconds() }],
    );

    metrics.gaugeBy(
      'switchboard_erasure_oldest_seconds',
      'Age of the oldest erasure that some service has not done yet.',
      [],
      async () => [{ labels: {}, value: await erasures.oldestSeconds() }],
    );

    let refresh: ListRefresh | undefined;
    return {
      app,
      async start() {
        await migrate(config.DATABASE_URL, catalogueMigrations);
        refresh ??= await startListRefresh({ database, lists: [plans.published, models.published], logger });
        await relay.start();
        erasureReports.start();
      },
      async stop() {
        await Promise.all([relay.stop(), refresh?.stop(), erasureReports.stop()]);
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
    replication: config.TOPIC_REPLICATION,
    cleanup: 'compact',
    tombstoneRetentionMs: DIRECTORY_TOMBSTONE_RETENTION_MS,
    // With three replicas, two must acknowledge a record: losing one loses no records.
    minInSyncReplicas: config.TOPIC_REPLICATION >= 3 ? 2 : 1,
  };
}
