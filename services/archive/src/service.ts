import { auditMigrations } from '@switchboard/audit';
import type { ExpiringData } from '@switchboard/database';
import { directoryMigrations } from '@switchboard/directory';
import { defineService, openAuditTrail, openReplica, projectOfRegion } from '@switchboard/http';
import { createRetention } from '@switchboard/runtime';
import { archiveSettings } from './config.ts';
import { archiveMigrations } from './schema/migrations.ts';
import { openDeadLetters, runDeadLetters } from './wiring/dead-letters.ts';
import { openPersonErasure } from './wiring/erasure.ts';
import { openEventLookup, runEvents } from './wiring/events.ts';
import { openImports } from './wiring/imports.ts';
import { openArchiveObjects } from './wiring/objects.ts';
import { openRecordings, runReplays } from './wiring/replays.ts';
import { openThreads } from './wiring/threads.ts';

/** Stores events as Parquet files and replays as recordings, merges and erases them. */
export const archiveService = defineService({
  name: 'archive',
  settings: archiveSettings,
  migrations: [directoryMigrations, auditMigrations, archiveMigrations],
  directory: openReplica(),
  audit: openAuditTrail,
  create(service) {
    const { add, app, config, database, directory, log, region, run, serves } = service;
    const { objects, promptObjects } = openArchiveObjects(service);
    // Further cores take further processes, up to one per partition.
    const threads = add(openThreads({ size: 1, objects }));
    // Separate threads, so that a merge of several seconds does not delay events.
    const merging = add(openThreads({ size: 1, objects }));

    const expiring: ExpiringData[] = [];
    const erasure = openPersonErasure(service, { objects, merging });
    if (config.ROLES.has('events')) {
      expiring.push(...runEvents(service, { objects, threads, merging }), ...runDeadLetters(service));
    }
    if (config.ROLES.has('replays')) expiring.push(...runReplays(service, { objects, erasure }));
    if (expiring.length > 0) run(createRetention({ ...service, data: expiring }));

    app.health.add('database', database.ping);
    if (serves) {
      const ofProject = projectOfRegion(directory, region);
      openEventLookup(service, { objects: promptObjects, ofProject });
      openDeadLetters(service);
      openImports(service, { objects: promptObjects, merging, ofProject });
      openRecordings(service, { objects: promptObjects, ofProject });
    } else {
      // A process that serves requests works without these. One that only consumes does not.
      app.health.add('event log', () => log.ping());
      app.health.add('object store', () => objects.ping());
    }
  },
});
