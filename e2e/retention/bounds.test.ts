import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventLogAccess, SERVICE_NAMES } from '@switchboard/contracts';
import { analyticsService } from '@switchboard/service-analytics';
import { archiveService } from '@switchboard/service-archive';
import { catalogueService } from '@switchboard/service-catalogue';
import { collaborationService } from '@switchboard/service-collaboration';
import { deliveryService } from '@switchboard/service-delivery';
import { flagsService } from '@switchboard/service-flags';
import { identityService } from '@switchboard/service-identity';
import { ingestionService } from '@switchboard/service-ingestion';
import { messengerService } from '@switchboard/service-messenger';
import { testDatabase } from '@switchboard/testkit';
import { describe, expect, test } from 'vitest';
import { serviceSettings } from '../docs/reference/settings.ts';
import { CLICKHOUSE_HOLDINGS } from '../erasure/holdings.ts';
import { tablesOf } from '../erasure/scan.ts';
import { REPOSITORY } from '../harness/repository.ts';
import { type Bound, CLICKHOUSE_TABLES, OBJECTS, TABLES, TOPICS } from './bounds.ts';

const SERVICES = [
  analyticsService,
  archiveService,
  catalogueService,
  collaborationService,
  flagsService,
  deliveryService,
  identityService,
  ingestionService,
  messengerService,
];
const settingsIn = (bounds: Bound[]) =>
  bounds.flatMap((bound) => ('setting' in bound ? [bound.setting] : []));

test.each(SERVICES.map((service) => [service.name, service] as const))(
  'every table of %s has a bound',
  async (name, { migrations }) => {
    const database = await testDatabase({ migrations });
    const tables = await tablesOf(database.url);
    await database.drop();
    const own = tables.filter((table) => !table.startsWith('drizzle.'));
    expect(own).toEqual(Object.keys(TABLES[name] ?? {}).sort());
  },
);

// The erasure tests verify that the holdings include every table.
test('every table in ClickHouse has a bound', () => {
  expect(Object.keys(CLICKHOUSE_TABLES).sort()).toEqual(Object.keys(CLICKHOUSE_HOLDINGS).sort());
});

test('every topic has a bound', () => {
  const created = SERVICE_NAMES.flatMap((name) => eventLogAccess[name].creates);
  expect([...new Set(created)].sort()).toEqual(Object.keys(TOPICS).sort());
});

describe('the settings of bounds', () => {
  const all = new Map(serviceSettings.map(([name, shape]) => [name, new Set(Object.keys(shape))]));

  test.each(SERVICES.map(({ name }) => name))(
    'the settings of %s that bound its tables exist in its configuration',
    (name) => {
      const tables = { ...TABLES[name], ...(name === 'analytics' ? CLICKHOUSE_TABLES : {}) };
      const named = settingsIn(Object.values(tables));
      expect(named.filter((setting) => all.get(name)?.has(setting) !== true)).toEqual([]);
    },
  );

  test('every setting with a retention time bounds something', () => {
    const bounds = [...Object.values(TABLES), TOPICS, OBJECTS].flatMap((one) => Object.values(one));
    const exist = [...all.values()].flatMap((names) => [...names]);
    const kept = exist.filter((name) => /_RETENTION_(DAYS|HOURS)$/.test(name));
    expect(kept.length).toBeGreaterThan(10);
    expect(settingsIn(bounds)).toEqual(expect.arrayContaining(kept));
  });

  test('docs/security.md lists every setting with a retention time, with its services', async () => {
    const page = await readFile(join(REPOSITORY, 'docs/security.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+_RETENTION_(?:DAYS|HOURS))` \| ([^|]+) \|/gm)];
    const documented = Object.fromEntries(
      rows.map(([, name = '', services = '']) => [name, services.split(', ').toSorted()]),
    );
    const services = Object.groupBy(
      serviceSettings.flatMap(([service, shape]) => Object.keys(shape).map((name) => ({ name, service }))),
      ({ name }) => name,
    );
    const kept = Object.entries(services).filter(([name]) => /_RETENTION_(DAYS|HOURS)$/.test(name));
    expect(documented).toEqual(
      Object.fromEntries(kept.map(([name, of = []]) => [name, of.map(({ service }) => service).toSorted()])),
    );
  });
});
