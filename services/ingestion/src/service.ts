import { migrate, openDatabase } from '@switchboard/database';
import { directoryMigrations, openDirectory } from '@switchboard/directory';
import {
  createApp,
  defineService,
  openEventLog,
  openObjects,
  projectOfRegion,
} from '@switchboard/service-kit';
import { ingestionSettings } from './config.ts';
import { createEventArchive } from './event-archive/event-archive.ts';
import { eventArchiveRoutes } from './event-archive/routes.ts';
import { createWhereabouts } from './event-archive/whereabouts.ts';
import { createEvents } from './events/events.ts';
import { eventRoutes } from './events/routes.ts';
import { createCalls } from './identify/calls.ts';
import { callRoutes } from './identify/routes.ts';
import { ingestionMigrations } from './migrations.ts';
import { createReplays } from './replay/replays.ts';
import { replayRoutes } from './replay/routes.ts';
import { createReplayArchive } from './replay-archive/consumer.ts';
import { createErasure } from './replay-archive/erasure.ts';
import { createRecordings } from './replay-archive/recordings.ts';
import { replayArchiveRoutes } from './replay-archive/routes.ts';
import { topicSpecs } from './topics.ts';

/** Something that works beside HTTP. `start` returns at once. */
interface Worker {
  start(): void;
  stop(): Promise<void>;
}

export const ingestionService = defineService({
  name: 'ingestion',
  settings: ingestionSettings,
  migrations: [directoryMigrations, ingestionMigrations],
  create(context) {
    const { config, logger, clock, metrics } = context;
    const serves = config.ROLES.has('http');
    const database = openDatabase({ url: config.DATABASE_URL, applicationName: 'ingestion' });
    const log = openEventLog(context, 'ingestion');
    const directory = openDirectory({ database, log, service: 'ingestion', logger });
    const objects = openObjects(config);
    const app = createApp({ service: 'ingestion', context, directory, database });
    const workers: Worker[] = [];
    const erasure = createErasure({ database, objects, clock, logger });

    if (serves) {
      const publishing = { log, clock, partitions: config.TOPIC_PARTITIONS };
      eventRoutes(app, createEvents(publishing));
      callRoutes(app, createCalls(publishing));
      replayRoutes(app, createReplays(publishing));
      const ofProject = projectOfRegion(directory, config.REGION);
      const recordings = createRecordings({ database, objects });
      replayArchiveRoutes(app, { recordings, erasure, ofProject, logger });
      eventArchiveRoutes(app, createWhereabouts({ database, log, objects }), ofProject);
    }
    if (config.ROLES.has('replay-archive') && objects !== undefined) {
      workers.push(createReplayArchive({ database, log, objects, logger, metrics }), erasure);
    }

    if (config.ROLES.has('event-archive') && objects !== undefined) {
      const settings = {
        fileBytes: config.ARCHIVE_FILE_BYTES,
        fileAgeMs: config.ARCHIVE_FILE_SECONDS * 1000,
        bufferBytes: config.ARCHIVE_BUFFER_BYTES,
      };
      const retentionHours = config.EVENTS_RETENTION_HOURS;
      const archiving = { database, log, objects, clock, logger, metrics, settings, retentionHours };
      workers.push(createEventArchive(archiving));
    }

    app.health.add('event log', () => log.ping());
    // A process that answers clients goes on without these; one that only archives can do nothing.
    if (!serves) {
      app.health.add('database', database.ping);
      if (objects !== undefined) app.health.add('object store', () => objects.ping());
    }

    return {
      app,
      async start() {
        await migrate(config.DATABASE_URL, directoryMigrations);
        await migrate(config.DATABASE_URL, ingestionMigrations);
        await log.createTopics(topicSpecs(config));
        if (serves) await directory.start();
        for (const worker of workers) worker.start();
      },
      async stop() {
        await Promise.all(workers.map((worker) => worker.stop()));
        if (serves) await directory.stop();
        await log.close();
        await database.close();
        objects?.close();
      },
    };
  },
});
