import { migrate, openDatabase } from '@switchboard/database';
import { directoryTombstoneRetentionMs, directoryTopic } from '@switchboard/directory';
import type { TopicSpec } from '@switchboard/event-log';
import { createApp, defineService, openEventLog } from '@switchboard/service-kit';
import { createAiModels } from './ai-models/ai-models.ts';
import { serveAiModels } from './ai-models/routes.ts';
import { createCompanies } from './companies/companies.ts';
import { createMembers } from './companies/members.ts';
import { serveCompanies, serveMembers } from './companies/routes.ts';
import { type CatalogueConfig, catalogueSettings } from './config.ts';
import { followLists } from './lists.ts';
import { migrations } from './migrations.ts';
import { outboxLag } from './outbox/lag.ts';
import { createOutbox } from './outbox/outbox.ts';
import { createRelay } from './outbox/relay.ts';
import { createPlans } from './plans/plans.ts';
import { servePlans } from './plans/routes.ts';
import { createProjectKeys } from './projects/keys.ts';
import { createProjects } from './projects/projects.ts';
import { createReports } from './projects/reports.ts';
import { serveProjectKeys, serveProjects, serveReports } from './projects/routes.ts';

/** Plans, AI models and the directory: the service that owns them and publishes the topic `directory`. */
export const catalogueService = defineService({
  name: 'catalogue',
  settings: catalogueSettings,
  create(context) {
    const { config, logger, metrics } = context;
    const database = openDatabase({ url: config.DATABASE_URL, applicationName: 'catalogue' });
    const db = database.drizzle;
    const log = openEventLog(context, 'catalogue');
    const outbox = createOutbox(db);
    const relay = createRelay({ database, log, topic: topicOf(config), logger });
    const plans = createPlans({ db, outbox });
    const aiModels = createAiModels({ db });

    const app = createApp({ service: 'catalogue', context, database });
    servePlans(app, plans);
    serveAiModels(app, aiModels);
    serveCompanies(app, createCompanies({ db, outbox }));
    serveMembers(app, createMembers({ db, outbox }));
    serveProjects(app, createProjects({ db, outbox }));
    serveProjectKeys(app, createProjectKeys({ db, outbox }));
    serveReports(app, createReports({ db, outbox }));

    metrics.gaugeBy(
      'switchboard_outbox_lag_seconds',
      'Age of the oldest change of the directory that is not published yet.',
      [],
      async () => [{ labels: {}, value: await outboxLag(db) }],
    );

    let lists: Awaited<ReturnType<typeof followLists>> | undefined;
    return {
      app,
      async start() {
        await migrate(config.DATABASE_URL, migrations);
        lists ??= await followLists({ database, lists: [plans.published, aiModels.published], logger });
        await relay.start();
      },
      async stop() {
        await Promise.all([relay.stop(), lists?.stop()]);
        await log.close();
        await database.close();
      },
    };
  },
});

function topicOf(config: CatalogueConfig): TopicSpec {
  return {
    name: directoryTopic,
    partitions: config.TOPIC_PARTITIONS,
    replication: config.TOPIC_REPLICATION,
    cleanup: 'compact',
    tombstoneRetentionMs: directoryTombstoneRetentionMs,
    // With three replicas a record is acknowledged by two, so that losing one loses nothing.
    minInSyncReplicas: config.TOPIC_REPLICATION >= 3 ? 2 : 1,
  };
}
