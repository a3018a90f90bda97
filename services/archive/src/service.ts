import { auditMigrations } from '@switchboard/audit';
import { ingestionTopics } from '@switchboard/contracts';
import type { ExpiringData } from '@switchboard/database';
import { directoryMigrations, openDirectory, openErasures } from '@switchboard/directory';
import {
  createApp,
  createAuditTrail,
  directUrl,
  migrateDatabase,
  openServiceDatabase,
  projectOfRegion,
  startable,
} from '@switchboard/http';
import { createRetention, openEventLog, openObjects } from '@switchboard/runtime';
import { archiveSettings } from './config.ts';
import { createErasure as createPersonErasure } from './erasure/erasure.ts';
import { createEventErasure } from './erasure/event-erasure.ts';
import { createEventConsumer, EVENTS_GROUP } from './events/consumer.ts';
import { createEventLookup } from './events/event-lookup.ts';
import { eventsRoutes } from './events/routes.ts';
import { createEventsStore } from './events/store.ts';
import { createCompaction } from './files/compaction.ts';
import { createFilesPublisher } from './files/publisher.ts';
import { createFilesStore } from './files/store.ts';
import { createReplayConsumer, REPLAYS_GROUP } from './replays/consumer.ts';
import { createErasure } from './replays/erasure.ts';
import { createRecordings } from './replays/recordings.ts';
import { replaysRoutes } from './replays/routes.ts';
import { createReplaysStore } from './replays/store.ts';
import { expiringEvents, expiringRecordings } from './retention/expiring.ts';
import { createHistoryRetention } from './retention/retention.ts';
import { createRetentionStore } from './retention/store.ts';
import { archiveMigrations } from './schema/migrations.ts';
import { createThreads } from './threads/threads.ts';

/** Background work. `start` returns at once. */
interface Worker {
  start(): void;
  stop(): Promise<void>;
}

export const archiveService = startable({
  name: 'archive',
  settings: archiveSettings,
  migrations: [directoryMigrations, auditMigrations, archiveMigrations],
  create(context) {
    const { config, logger, clock, metrics } = context;
    const serves = config.ROLES.has('http');
    const database = openServiceDatabase(context);
    const log = openEventLog(context, 'archive', context.instance);
    const audit = createAuditTrail({ service: 'archive', context, db: database.drizzle, log });
    const directory = openDirectory({ database, log, service: 'archive', logger });
    const objects = openObjects(context, 'background');
    const promptObjects = openObjects(context);
    if (objects === undefined || promptObjects === undefined)
      throw new Error('OBJECTS_FOLDER or S3_ENDPOINT: required');
    const app = createApp({ service: 'archive', context, directory, database, audit });
    const workers: Worker[] = [];
    const expiring: ExpiringData[] = [];

    const eventsStore = createEventsStore(database.drizzle);
    const filesStore = createFilesStore(database.drizzle);
    const replaysStore = createReplaysStore(database.drizzle);
    const threads = createThreads({ size: config.ARCHIVE_THREADS, objects });
    // Separate threads, so that a merge of several seconds does not delay events.
    const merging = createThreads({ size: 1, objects });
    const erasure = createErasure({ store: replaysStore, objects, clock, logger });

    const erasures = openErasures({
      database,
      databaseUrl: directUrl(config),
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
          events: createEventErasure({ files: createFilesStore(db), objects, threads: merging }),
          replays: erasure,
        }),
    });
    workers.push(erasures);

    if (serves) {
      const ofProject = projectOfRegion(directory, config.REGION);
      const eventLookup = createEventLookup({
        store: eventsStore,
        files: filesStore,
        log,
        objects: promptObjects,
      });
      const recordings = createRecordings({ store: replaysStore, objects: promptObjects });
      eventsRoutes(app, { eventLookup, ofProject });
      const promptErasure = createErasure({ store: replaysStore, objects: promptObjects, clock, logger });
      replaysRoutes(app, { recordings, erasure: promptErasure, ofProject, logger });
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
        createEventConsumer({ store: eventsStore, log, objects, threads, clock, logger, metrics, settings }),
        createHistoryRetention({
          store,
          log,
          logger,
          metrics,
          retentionHours,
          seenBytes: config.ARCHIVE_SEEN_BYTES,
        }),
        createFilesPublisher({
          database,
          log,
          region: config.REGION,
          replication: config.TOPIC_REPLICATION,
          logger,
        }),
        createCompaction({
          database,
          objects,
          threads: merging,
          log,
          retentionHours,
          clock,
          logger,
          metrics,
          replacedSeconds: config.ARCHIVE_REPLACED_MINUTES * 60,
        }),
      );
    }
    if (config.ROLES.has('events'))
      expiring.push(...expiringEvents(filesStore, config.ARCHIVE_RETENTION_DAYS));
    if (config.ROLES.has('replays')) {
      const days = config.RECORDINGS_RETENTION_DAYS;
      expiring.push(...expiringRecordings({ store: replaysStore, erasure, days }));
      workers.push(createReplayConsumer({ store: replaysStore, log, objects, logger, metrics }), erasure);
    }

    if (expiring.length > 0) {
      workers.push(createRetention({ database, data: expiring, clock, logger, metrics }));
    }

    app.health.add('database', database.ping);
    // A process that serves requests works without these. One that only consumes does not.
    if (!serves) {
      app.health.add('event log', () => log.ping());
      app.health.add('object store', () => objects.ping());
    }

    return {
      app,
      async start() {
        await migrateDatabase(config, [directoryMigrations, auditMigrations, archiveMigrations]);
        if (serves) await directory.start();
        for (const worker of workers) worker.start();
        audit.start();
      },
      async stop() {
        await Promise.all(workers.map((worker) => worker.stop()));
        await Promise.all([threads.stop(), merging.stop()]);
        if (serves) await directory.stop();
        await audit.stop();
        await log.close();
        await database.close();
        objects.close();
        promptObjects.close();
      },
    };
  },
});
