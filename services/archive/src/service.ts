import { ingestionTopics } from '@switchboard/contracts';
import { migrate, openDatabase } from '@switchboard/database';
import { directoryMigrations, openDirectory, openErasures } from '@switchboard/directory';
import {
  createApp,
  currentHolder,
  defineService,
  openEventLog,
  openObjects,
  projectOfRegion,
} from '@switchboard/service-kit';
import { archiveSettings } from './config.ts';
import { createErasure as createPersonErasure } from './erasure/erasure.ts';
import { createEventErasure } from './erasure/event-erasure.ts';
import { createEventConsumer, EVENTS_GROUP } from './events/consumer.ts';
import { createEventLookup } from './events/event-lookup.ts';
import { eventsRoutes } from './events/routes.ts';
import { createEventsStore } from './events/store.ts';
import { createCompaction } from './files/compaction.ts';
import { createPublisher } from './files/publisher.ts';
import { createFilesStore } from './files/store.ts';
import { createReplayConsumer, REPLAYS_GROUP } from './replays/consumer.ts';
import { createErasure } from './replays/erasure.ts';
import { createRecordings } from './replays/recordings.ts';
import { replaysRoutes } from './replays/routes.ts';
import { createReplaysStore } from './replays/store.ts';
import { createRetention } from './retention/retention.ts';
import { createRetentionStore } from './retention/store.ts';
import { archiveMigrations } from './schema/migrations.ts';

/** Background work. `start` returns at once. */
interface Worker {
  start(): void;
  stop(): Promise<void>;
}

export const archiveService = defineService({
  name: 'archive',
  settings: archiveSettings,
  migrations: [directoryMigrations, archiveMigrations],
  create(context) {
    const { config, logger, clock, metrics } = context;
    const serves = config.ROLES.has('http');
    const database = openDatabase({
      url: config.DATABASE_URL,
      applicationName: context.instance,
      holder: currentHolder,
    });
    const log = openEventLog(context, context.instance);
    const directory = openDirectory({ database, log, service: 'archive', logger });
    const objects = openObjects(config);
    if (objects === undefined) throw new Error('OBJECTS_FOLDER or S3_ENDPOINT: required');
    const app = createApp({ service: 'archive', context, directory, database });
    const workers: Worker[] = [];

    const eventsStore = createEventsStore(database.drizzle);
    const filesStore = createFilesStore(database.drizzle);
    const replaysStore = createReplaysStore(database.drizzle);
    const erasure = createErasure({ store: replaysStore, objects, clock, logger });

    const erasures = openErasures({
      database,
      databaseUrl: config.DATABASE_URL,
      log,
      service: 'archive',
      region: config.REGION,
      logger,
      intakes: [
        { group: EVENTS_GROUP, topics: [ingestionTopics.events] },
        { group: REPLAYS_GROUP, topics: [ingestionTopics.replays] },
      ],
      eraser: (db) =>
        createPersonErasure({
          store: replaysStore,
          events: createEventErasure({ files: createFilesStore(db), objects }),
          replays: erasure,
        }),
    });
    workers.push(erasures);

    if (serves) {
      const ofProject = projectOfRegion(directory, config.REGION);
      const eventLookup = createEventLookup({ store: eventsStore, files: filesStore, log, objects });
      const recordings = createRecordings({ store: replaysStore, objects });
      eventsRoutes(app, { eventLookup, ofProject });
      replaysRoutes(app, { recordings, erasure, ofProject, logger });
    }
    if (config.ROLES.has('events')) {
      const settings = {
        fileBytes: config.ARCHIVE_FILE_BYTES,
        fileAgeMs: config.ARCHIVE_FILE_SECONDS * 1000,
        bufferBytes: config.ARCHIVE_BUFFER_BYTES,
      };
      const retentionHours = config.EVENTS_RETENTION_HOURS;
      const store = createRetentionStore(database.drizzle);
      workers.push(
        createEventConsumer({ store: eventsStore, log, objects, clock, logger, metrics, settings }),
        createRetention({ store, log, logger, retentionHours }),
        createPublisher({
          database,
          log,
          region: config.REGION,
          replication: config.TOPIC_REPLICATION,
          logger,
        }),
        createCompaction({
          database,
          objects,
          clock,
          logger,
          metrics,
          replacedSeconds: config.ARCHIVE_REPLACED_MINUTES * 60,
        }),
      );
    }
    if (config.ROLES.has('replays')) {
      workers.push(createReplayConsumer({ store: replaysStore, log, objects, logger, metrics }), erasure);
    }

    app.health.add('database', database.ping);
    // A process that answers requests works without these; one that only consumes does not.
    if (!serves) {
      app.health.add('event log', () => log.ping());
      app.health.add('object store', () => objects.ping());
    }

    return {
      app,
      async start() {
        await migrate(config.DATABASE_URL, directoryMigrations);
        await migrate(config.DATABASE_URL, archiveMigrations);
        if (serves) await directory.start();
        for (const worker of workers) worker.start();
      },
      async stop() {
        await Promise.all(workers.map((worker) => worker.stop()));
        if (serves) await directory.stop();
        await log.close();
        await database.close();
        objects.close();
      },
    };
  },
});
