import { migrate, openDatabase } from '@switchboard/database';
import { directoryMigrations, openDirectory } from '@switchboard/directory';
import {
  createApp,
  createQuota,
  defineService,
  openEventLog,
  quotaRejections,
} from '@switchboard/service-kit';
import { ingestionSettings } from './config.ts';
import { createEvents } from './events/events.ts';
import { eventsRoutes } from './events/routes.ts';
import { createIdentify } from './identify/identify.ts';
import { identifyRoutes } from './identify/routes.ts';
import { topicSpecs } from './records/topics.ts';
import { createReplay } from './replay/replay.ts';
import { replayRoutes } from './replay/routes.ts';

export const ingestionService = defineService({
  name: 'ingestion',
  settings: ingestionSettings,
  migrations: [directoryMigrations],
  create(context) {
    const { config, logger, clock } = context;
    const database = openDatabase({ url: config.DATABASE_URL, applicationName: 'ingestion' });
    const log = openEventLog(context, 'ingestion');
    const directory = openDirectory({ database, log, service: 'ingestion', logger });
    const app = createApp({ service: 'ingestion', context, directory, database });

    const publishing = { log, clock, partitions: config.TOPIC_PARTITIONS };
    const rejections = quotaRejections(context.metrics);
    const quotaOf = (name: string) =>
      createQuota({
        name,
        bytesPerSecond: {
          address: config.BYTES_PER_ADDRESS_PER_SECOND,
          project: config.BYTES_PER_PROJECT_PER_SECOND,
        },
        rejections,
        logger,
      });
    const eventsQuota = quotaOf('events');
    eventsRoutes(app, createEvents(publishing), eventsQuota);
    identifyRoutes(app, createIdentify(publishing), eventsQuota);
    replayRoutes(app, createReplay(publishing), quotaOf('replays'));

    // Not the database: known keys are answered from memory.
    app.health.add('event log', () => log.ping());

    return {
      app,
      async start() {
        await migrate(config.DATABASE_URL, directoryMigrations);
        await log.createTopics(topicSpecs(config));
        await directory.start();
      },
      async stop() {
        await directory.stop();
        await log.close();
        await database.close();
      },
    };
  },
});
