import { openDatabase } from '@switchboard/database';
import { analyticsService } from '@switchboard/service-analytics';
import { archiveService } from '@switchboard/service-archive';
import { catalogueService } from '@switchboard/service-catalogue';
import { collaborationService } from '@switchboard/service-collaboration';
import { flagsService } from '@switchboard/service-flags';
import { ingestionService } from '@switchboard/service-ingestion';
import { messengerService } from '@switchboard/service-messenger';
import { testDatabase } from '@switchboard/testkit';
import { expect, test } from 'vitest';

/** The storage parameters of tables that requests and events update often. */
const UPDATED = ['autovacuum_analyze_scale_factor=0.02', 'autovacuum_vacuum_scale_factor=0.02'];
/** Leaves room in each page, so that an update needs no new index entries. */
const UPDATED_IN_PLACE = [...UPDATED, 'fillfactor=90'];
/** The storage parameters of queues. Truncating a table locks it. */
const QUEUE = [
  'autovacuum_vacuum_scale_factor=0',
  'autovacuum_vacuum_threshold=500',
  'vacuum_truncate=false',
];

const directory = { 'directory.entries': UPDATED };
const audit = { 'audit.outbox': QUEUE };
const people = { people: UPDATED_IN_PLACE, groups: UPDATED_IN_PLACE };

test.each([
  { service: catalogueService, expected: { ...audit, outbox: QUEUE } },
  { service: collaborationService, expected: { ...directory, ...audit } },
  { service: messengerService, expected: { ...directory, ...audit, conversations: UPDATED } },
  {
    service: flagsService,
    expected: {
      ...directory,
      ...audit,
      ...people,
      identities: UPDATED_IN_PLACE,
      persons: UPDATED_IN_PLACE,
      unpublished_cohorts: QUEUE,
      unpublished_people: QUEUE,
    },
  },
  { service: ingestionService, expected: directory },
  {
    service: archiveService,
    expected: { ...directory, ...audit, replays: UPDATED, event_segments: UPDATED },
  },
  {
    service: analyticsService,
    expected: {
      ...directory,
      ...audit,
      ...people,
      known_groups: UPDATED_IN_PLACE,
      uncounted_ids: QUEUE,
      unpublished_cohort_parts: QUEUE,
    },
  },
])('the migrations of $service.name tune autovacuum for its busy tables', async ({ service, expected }) => {
  const own = await testDatabase({ migrations: service.migrations });
  const database = openDatabase({ url: own.url, applicationName: 'test' });
  const rows = await database.sql<{ table: string; options: string[] }[]>`
    select oid::regclass::text as table, reloptions as options from pg_class
    where relkind = 'r' and reloptions is not null and relnamespace::regnamespace::text not like 'pg\\_%'
      and not relispartition`;
  await database.close();
  await own.drop();
  expect(Object.fromEntries(rows.map(({ table, options }) => [table, options.toSorted()]))).toEqual(expected);
});
