import type { ExpiringData } from '@switchboard/database';
import type { ProjectOfRegion } from '@switchboard/http';
import type { ObjectStore } from '@switchboard/object-store';
import type { Archive } from '../config.ts';
import { createEventConsumer, EVENTS_GROUP } from '../events/consumer.ts';
import { createEventLookup } from '../events/event-lookup.ts';
import { FILE_LIMITS } from '../events/partition.ts';
import { eventsRoutes } from '../events/routes.ts';
import { createEventsStore } from '../events/store.ts';
import { createCompaction, REPLACED_SECONDS } from '../files/compaction.ts';
import { createFilesPublisher } from '../files/publisher.ts';
import { createFilesStore } from '../files/store.ts';
import { createImportsStore } from '../imports/store.ts';
import { createLakeStore, dataPathOf } from '../lake/store.ts';
import { expiringEvents, expiringImports } from '../retention/expiring.ts';
import { createHistoryRetention } from '../retention/retention.ts';
import { createRetentionStore } from '../retention/store.ts';
import type { ArchiveThreads } from './threads.ts';

/** Opens the look-up of the status of an event. */
export function openEventLookup(
  { app, db, log }: Archive,
  { objects, ofProject }: { objects: ObjectStore; ofProject: ProjectOfRegion },
): void {
  const store = createEventsStore(db);
  const eventLookup = createEventLookup({ store, files: createFilesStore(db), log, objects });
  eventsRoutes(app, { eventLookup, ofProject });
}

interface Work {
  objects: ObjectStore;
  threads: ArchiveThreads;
  /** The threads that merge files. */
  merging: ArchiveThreads;
}

/** Runs the work of the role `events`: stores, publishes and merges files. Returns the data that expires. */
export function runEvents(service: Archive, { objects, threads, merging }: Work): ExpiringData[] {
  const { config, db, run } = service;
  const retentionHours = config.EVENTS_RETENTION_HOURS;
  const settings = { ...FILE_LIMITS, fileAgeMs: config.ARCHIVE_FILE_SECONDS * 1000 };
  run(
    { start: () => createLakeStore(db).setDataPath(dataPathOf(config)) },
    createEventConsumer({ ...service, store: createEventsStore(db), objects, threads, settings }),
    createHistoryRetention({
      ...service,
      store: createRetentionStore(db),
      retentionHours,
      seenBytes: config.ARCHIVE_SEEN_BYTES,
    }),
    createFilesPublisher({ ...service, group: EVENTS_GROUP }),
    createCompaction({
      ...service,
      group: EVENTS_GROUP,
      objects,
      threads: merging,
      retentionHours,
      replacedSeconds: REPLACED_SECONDS,
    }),
  );
  const days = config.ARCHIVE_RETENTION_DAYS;
  return [...expiringEvents(createFilesStore(db), days), ...expiringImports(createImportsStore(db), days)];
}
