import type { ExpiringData } from '@switchboard/database';
import type { ProjectOfRegion } from '@switchboard/http';
import type { ObjectStore } from '@switchboard/object-store';
import { createPersonIds, createPersonIdsConsumer } from '@switchboard/person-ids';
import type { Archive } from '../config.ts';
import { createReplayConsumer } from '../replays/consumer.ts';
import { createErasure, type Erasure } from '../replays/erasure.ts';
import { createRecordings } from '../replays/recordings.ts';
import { replaysRoutes } from '../replays/routes.ts';
import { createReplaysStore } from '../replays/store.ts';
import { expiringRecordings } from '../retention/expiring.ts';
import { usageRoutes } from '../usage/routes.ts';
import { createUsageStore } from '../usage/store.ts';

/** Opens the reading and the deletion of recordings, and the usage of the archive. */
export function openRecordings(
  service: Archive,
  { objects, ofProject }: { objects: ObjectStore; ofProject: ProjectOfRegion },
): void {
  const { app, config, db, logger } = service;
  const store = createReplaysStore(db);
  const personIds = createPersonIds(db);
  service.run(createPersonIdsConsumer({ ...service, group: 'archive.person-ids' }));
  const recordings = createRecordings({ store, objects, personIds });
  const erasure = createErasure({ ...service, store, objects });
  replaysRoutes(app, { recordings, erasure, ofProject, logger });
  usageRoutes(app, {
    ...service,
    store: createUsageStore(db),
    eventDays: config.ARCHIVE_RETENTION_DAYS,
    recordingDays: config.RECORDINGS_RETENTION_DAYS,
    ofProject,
  });
}

/** Runs the work of the role `replays`: stores and erases recordings. Returns the data that expires. */
export function runReplays(
  service: Archive,
  { objects, erasure }: { objects: ObjectStore; erasure: Erasure },
): ExpiringData[] {
  const { config, db, run } = service;
  const store = createReplaysStore(db);
  run(createReplayConsumer({ ...service, store, objects }), erasure);
  return expiringRecordings({ store, erasure, days: config.RECORDINGS_RETENTION_DAYS });
}
