import { directoryMigrations, openDirectory, openErasures } from '@switchboard/directory';
import {
  createApp,
  defineService,
  directUrl,
  migrateDatabase,
  openQuotas,
  openServiceDatabase,
} from '@switchboard/http';
import { openEventLog, openRedis } from '@switchboard/runtime';
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
    const database = openServiceDatabase(context);
    const log = openEventLog(context, 'ingestion', context.instance);
    const directory = openDirectory({ database, log, service: 'ingestion', logger });
    const app = createApp({ service: 'ingestion', context, directory, database });

    // The service's replica of the directory contains names of colleagues.
    const erasures = openErasures({
      database,
      databaseUrl: directUrl(config),
      log,
      service: 'ingestion',
      region: config.REGION,
      logger,
    });

    const publishing = { log, clock };
    const redis = config.REDIS_URL === undefined ? undefined : openRedis(config.REDIS_URL, context);
    const quotas = openQuotas({
      ...context,
      redis,
      bytesPerSecond: {
        address: config.BYTES_PER_ADDRESS_PER_SECOND,
        project: config.BYTES_PER_PROJECT_PER_SECOND,
      },
    });
    const eventsQuota = quotas.quota('events');
    const { throttle } = quotas;
    eventsRoutes(app, { events: createEvents(publishing), quota: eventsQuota, throttle });
    identifyRoutes(app, { calls: createIdentify(publishing), quota: eventsQuota, throttle });
    replayRoutes(app, { replay: createReplay(publishing), quota: quotas.quota('replays'), throttle });

    // Does not check the database, because known keys are answered from memory.
    app.health.add('event log', () => log.ping());

    return {
      app,
      async start() {
        await migrateDatabase(config, [directoryMigrations]);
        await log.createTopics(topicSpecs(config));
        await directory.start();
        erasures.start();
      },
      async stop() {
        await erasures.stop();
        await directory.stop();
        await log.close();
        await database.close();
        quotas.close();
        redis?.disconnect();
      },
    };
  },
});
