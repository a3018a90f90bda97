import assert from 'node:assert';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@switchboard/database';
import { TABLES } from '@switchboard/e2e/retention';
import { isKafkaInstalled, testDatabase } from '@switchboard/testkit';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { SERVICES, type Service } from './deployment.ts';
import { type Measured, measureShare, type Window } from './measure.ts';
import { LOADS, personId, projectInSql, projectOf, rateOf, sizeOf } from './model.ts';
import { objectsPerDay } from './objects.ts';
import { scalePicture } from './picture.ts';
import {
  boundedTables,
  coresFor,
  filesOfClosedDay,
  GROWTH,
  microsOf,
  nameOf,
  podsFor,
  totalsOf,
} from './sizing.ts';
import { readTables, type Table } from './tables.ts';

const all = (value: number) =>
  Object.fromEntries(SERVICES.map((service) => [service, value])) as Record<Service, number>;

const window = (cores: Partial<Record<Service, number>> = {}): Window => ({
  seconds: 10,
  cores: { ...all(0.03), ...cores },
  loads: {
    ...Object.fromEntries(LOADS.map((load) => [load, { done: 1_000, failures: {}, p50: 1, p99: 2 }])),
  } as Window['loads'],
});

const measured: Measured = {
  size: sizeOf(0.1),
  idle: all(0.01),
  peaks: { zipf: window({ ingestion: 0.5, archive: 0.11 }), uniform: window({ flags: 1.5 }) },
  average: window(),
  peakMb: { ...all(200), flags: 700 },
  objects: { written: 10_000, merged: 500, filesPerSegment: 2 },
  archivedBytes: 400_000_000,
  joins: { topicBytes: 60_000_000, restartSeconds: 12 },
  tables: [
    { service: 'flags', name: 'public.people', rows: 1_000_000, bytes: 800_000_000 },
    { service: 'archive', name: 'public.seen_events', rows: 1_000, bytes: 100_000 },
    { service: 'archive', name: 'public.event_segments', rows: 0, bytes: 8_192 },
  ],
};

describe('the arithmetic of the scale table', () => {
  test('models a billion events a month, 1,160 a second at the peak', () => {
    expect(rateOf('events', false)).toBeCloseTo(386, 0);
    expect(rateOf('events', true)).toBeCloseTo(1_157, 0);
    expect(sizeOf(0.01)).toMatchObject({
      ...{ projects: 100, people: 100_000, archivedEvents: 1_000_000 },
      ...{ joinedPeople: 30_000, joinedIds: 40_000 },
    });
  });

  test('charges pods for the worse spread at 70% of a core each, and pods without load for their idle cost', () => {
    expect(podsFor('flags', 0.1)).toBe(2);
    expect(podsFor('flags', 1.5)).toBe(3);
    expect(coresFor('flags', { idle: 0.01, peak: 1.5 })).toBeCloseTo(1.52);
    const totals = totalsOf(measured);
    // 2 + 3 + 2 + 1 + 1 + 1 + 1, and the gateway.
    expect(totals.pods).toBe(12);
    expect(totals.cores).toBeCloseTo(0.51 + 1.52 + 0.04 + 0.11 + 3 * 0.03);
    expect(totals).toMatchObject({ podMb: 700, objectsPerDay: 10_500 });
  });

  test('subtracts the idle cost of a service from the cost of a request', () => {
    expect(microsOf('events', measured.peaks.zipf, measured.idle)).toEqual([
      { service: 'ingestion', micros: expect.closeTo(4_900) },
      { service: 'archive', micros: expect.closeTo(1_000) },
    ]);
  });

  test('sizes tables for the whole model, or for what their retention keeps', () => {
    const rows = Object.fromEntries(boundedTables(measured).map((one) => [one.table.name, one]));
    expect(rows['public.people']).toMatchObject({ bytesPerRow: 800, modelRows: 1e7, modelBytes: 8e9 });
    expect(rows['public.seen_events']?.modelRows).toBeCloseTo((1e9 / 30) * 8);
    expect(rows['public.seen_events']?.modelBytes).toBeCloseTo((1e9 / 30) * 8 * 100);
    expect(rows['public.event_segments']).toBeUndefined();
    // 64 buckets of 32 MiB, plus 36 projects with 100,000 events.
    expect(filesOfClosedDay(40)).toBe(64 + 36);
  });

  test('every growing table has a bound', () => {
    for (const { table } of GROWTH) {
      const [service = '', name = ''] = table.split(' ');
      expect(TABLES[service], table).toHaveProperty([name.includes('.') ? name : `public.${name}`]);
    }
  });

  test('draws a line for each service', () => {
    const svg = scalePicture([{ ...measured, size: sizeOf(0.01) }, measured]);
    for (const service of SERVICES) expect(svg).toContain(`>${service}, `);
    expect(svg).not.toContain('NaN');
  });
});

it('spreads people over projects in the same way in SQL and in JavaScript, half of them by Zipf', async () => {
  const { url, drop } = await testDatabase();
  const database = openDatabase({ url, applicationName: 'test' });
  const rows = await database.sql.unsafe(
    `select ${projectInSql('n', 100)}::int as project from generate_series(0::bigint, 9999) as n`,
  );
  await database.close();
  await drop();
  const projects = Array.from({ length: 10_000 }, (_, person) => projectOf(person, 100));
  expect(rows.map((row) => row['project'])).toEqual(projects);
  const people = (project: number) => projects.filter((one) => one === project).length;
  // 50 of those with a uniform distribution, and ln 2 / ln 100 of the others.
  expect(people(0)).toBeCloseTo(50 + 5_000 * 0.1505, -2);
  expect(people(99)).toBeLessThan(100);
  expect(personId(7)).toBe('user-7');
});

it('counts the objects of a day from how often the files of a partition are written', async () => {
  const folder = join(import.meta.dirname, '../../../services/archive/migrations');
  const { url, drop } = await testDatabase({ migrations: [{ folder }] });
  const database = openDatabase({ url, applicationName: 'test', statementTimeoutMs: 60_000 });
  const { sql } = database;
  await sql`
    insert into event_segments (log_partition, first_offset, first_at, last_offset, earliest_at, latest_at, stored_at,
      files, events, duplicates)
    select p, n, n, n, n, n, now() - n * interval '30 seconds', 2, 10, 0
    from generate_series(0, 63) as p, generate_series(0, 3) as n`;
  const objects = await objectsPerDay(sql, new Date(Date.now() - 3_600_000).toISOString());
  const tables = await readTables({ sql: () => sql });
  await database.close();
  await drop();
  expect(objects).toEqual({ written: (2 * 64 * 86_400) / 30, merged: 0, filesPerSegment: 2 });
  const isSegments = (table: Table) => nameOf(table) === 'archive event_segments';
  expect(tables.find(isSegments)).toMatchObject({
    rows: 256,
    bytes: expect.toSatisfy((bytes) => bytes > 8_192),
  });
});

describe.skipIf(!isKafkaInstalled())('the smallest share of the scale model', () => {
  it('all services hold the smallest share, answer for every project and archive every event', async () => {
    const size = sizeOf(0.0002);
    const keep = await mkdtemp(join(tmpdir(), 'switchboard-scale-'));
    onTestFinished(() => rm(keep, { recursive: true, force: true }));
    const options = { fileSeconds: 1, partitions: 4, keep };
    expect(await measureShare(size, { ...options, seconds: 0 })).toBeUndefined();
    const filledAt = await stat(join(keep, '0.02%/filled.json'));
    const result = await measureShare(size, { ...options, seconds: 2 });
    expect((await stat(join(keep, '0.02%/filled.json'))).mtimeMs).toBe(filledAt.mtimeMs);
    assert(result !== undefined);
    const rowsOf = Object.fromEntries(
      result.tables.map((table) => [`${table.service} ${table.name}`, table.rows]),
    );
    expect(rowsOf).toMatchObject({
      'catalogue public.projects': size.projects,
      'flags public.flags': size.projects * 100,
      'flags public.people': size.people + size.joinedIds,
      'analytics public.people': size.people,
      'messenger public.turns': expect.toSatisfy((turns) => turns > size.conversations * 5),
    });
    for (const load of LOADS) {
      expect(result.average.loads[load], load).toMatchObject({
        done: expect.toSatisfy((done) => done > 0),
        failures: {},
      });
    }
    expect(result.objects.written).toBeGreaterThan(0);
    expect(scalePicture([result])).not.toContain('NaN');
  }, 600_000);
});
