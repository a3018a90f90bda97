import { migrate, openDatabase } from '@switchboard/database';
import { directoryMigrations, openDirectory } from '@switchboard/directory';
import { createApp, defineService, openEventLog } from '@switchboard/service-kit';
import { ingestionSettings } from './config.ts';
import { createEvents } from './events/events.ts';
import { eventRoutes } from './events/routes.ts';
import { createCalls } from './identify/calls.ts';
import { callRoutes } from './identify/routes.ts';
import { createReplays } from './replay/replays.ts';
import { replayRoutes } from './replay/routes.ts';
import { topicSpecs } from './topics.ts';

export const ingestionService = defineService({
  name: 'ingestion',
  settings: ingestionSettings,
  create(context) {
    const { config, logger, clock } = context;
    const database = openDatabase({ url: config.DATABASE_URL, applicationName: 'ingestion' });
    const log = openEventLog(context, 'ingestion');
    const directory = openDirectory({ database, log, service: 'ingestion', logger });
    const app = createApp({ service: 'ingestion', context, directory });
    const publishing = { log, clock, partitions: config.TOPIC_PARTITIONS };

    eventRoutes(app, createEvents(publishing));
    callRoutes(app, createCalls(publishing));
    replayRoutes(app, createReplays(publishing));

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
