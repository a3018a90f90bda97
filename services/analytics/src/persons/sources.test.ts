import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPersonIds } from '@switchboard/person-ids';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { createDuckDb } from '../engine/duckdb.ts';
import { type Sql, sql } from '../engine/sql.ts';
import { useDatabase } from '../testing/database.ts';
import { createCopiedPersons } from './sources.ts';
import { createPersonsStore, saveChanges } from './store.ts';

const { database } = await useDatabase();
const folder = await mkdtemp(join(tmpdir(), 'persons-'));
const spillFolder = join(folder, 'spill');
const engine = createDuckDb({
  threads: 1,
  memoryBytes: 60_000_000,
  spillFolder,
  spillBytes: 1_000_000_000,
  filesFolder: join(folder, 'files'),
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await database.sql`truncate person_ids, person_id_changes, person_maps`;
});

const store = createPersonsStore(database.drizzle);
const page = vi.fn(store.page);
const { signal } = new AbortController();
let offset = 0n;

/** Applies changes as the consumer of `people` does: the person of each id, or null for an id of its own. */
async function apply(projectId: string, persons: Record<string, string | null>): Promise<void> {
  await database.drizzle.transaction(async (tx) => {
    const ids = createPersonIds(tx);
    const by = { kind: 'identify' } as const;
    const joined = Object.entries(persons).flatMap(([distinctId, personId]) =>
      personId === null
        ? []
        : [{ projectId, distinctId, personId, joinedAt: '2026-03-01T00:00:00.000Z', by }],
    );
    await ids.save(joined);
    const alone = Object.keys(persons).filter((distinctId) => persons[distinctId] === null);
    const parted = await ids.remove(alone.map((distinctId) => ({ projectId, distinctId })));
    const batch = { topic: 'people', partition: 0, records: [], nextOffset: ++offset };
    await saveChanges(tx, batch as never, [...joined, ...parted]);
  });
}

const open = (maxIds?: number) =>
  createCopiedPersons({ store: { ...store, page }, engine, ...(maxIds === undefined ? {} : { maxIds }) });
const rowsOf = (map: Sql) =>
  engine.query(sql`select distinct_id as id, person_id as person from ${map} order by id`);

it('refreshes a copied map with the ids that changed, without copying it again', async () => {
  const persons = open();
  expect(await persons.version('shop', signal)).toBeUndefined();
  await apply('shop', { phone: 'ada', laptop: 'ada' });
  await apply('blog', { phone: 'bob' });
  const first = await persons.version('shop', signal);
  expect(await persons.read('shop', signal, rowsOf)).toEqual([
    { id: 'laptop', person: 'ada' },
    { id: 'phone', person: 'ada' },
  ]);
  page.mockClear();
  await apply('shop', { phone: 'eve', laptop: null, tablet: 'eve' });
  expect(await persons.version('shop', signal)).not.toBe(first);
  expect(await persons.read('shop', signal, rowsOf)).toEqual([
    { id: 'phone', person: 'eve' },
    { id: 'tablet', person: 'eve' },
  ]);
  expect(page).not.toHaveBeenCalled();
});

it('copies a map again when the changes since are no longer known', async () => {
  const persons = open();
  await apply('shop', { phone: 'ada' });
  await persons.read('shop', signal, rowsOf);
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`id${index}`, 'ada']));
  await apply('shop', many);
  await apply('shop', { phone: 'eve' });
  page.mockClear();
  expect(await persons.read('shop', signal, rowsOf)).toHaveLength(10_002);
  expect(page).toHaveBeenCalled();
  const kept = await database.sql`select count(*)::int as count from person_id_changes`;
  expect(kept).toEqual([{ count: 10_000 }]);
});

it('gives a query the whole map while it is copied again, and drops the old copy when the query ends', async () => {
  const persons = open();
  await apply('shop', { phone: 'ada', laptop: 'ada' });
  const copying = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const old = await persons.read('shop', signal, async (map) => {
    await store.erase('shop', ['nobody']);
    page.mockImplementationOnce(async (...args) => {
      copying.resolve();
      await goOn.promise;
      return store.page(...args);
    });
    const second = persons.read('shop', signal, rowsOf);
    await copying.promise;
    expect(await rowsOf(map)).toHaveLength(2);
    goOn.resolve();
    expect(await second).toHaveLength(2);
    expect(await rowsOf(map)).toHaveLength(2);
    return map;
  });
  await expect(rowsOf(old)).rejects.toThrow('does not exist');
});

it('removes the ids of an erased person from the database and the copy', async () => {
  const persons = open();
  await apply('shop', { phone: 'ada', laptop: 'ada', tablet: 'bob' });
  await persons.read('shop', signal, rowsOf);
  await store.erase('shop', ['phone', 'laptop', 'ada']);
  // Flags parts the ids when it erases them.
  await apply('shop', { phone: null, laptop: null });
  await persons.sweep();
  expect(await persons.read('shop', signal, rowsOf)).toEqual([{ id: 'tablet', person: 'bob' }]);
  const rows = await database.sql`select distinct_id from person_id_changes where distinct_id <> 'tablet'`;
  expect(rows).toHaveLength(0);
});

it('keeps the copies when a query has spilled', async () => {
  const persons = open();
  await apply('shop', { phone: 'ada' });
  await persons.read('shop', signal, rowsOf);
  await engine.query(
    sql`select count(*)::integer as n from (select distinct md5(i::varchar) from range(2000000) as t(i))`,
  );
  page.mockClear();
  expect(await persons.read('shop', signal, rowsOf)).toEqual([{ id: 'phone', person: 'ada' }]);
  expect(page).not.toHaveBeenCalled();
});

it('drops the maps that were unused for the longest when there are too many ids', async () => {
  const persons = open(3);
  for (const project of ['one', 'two', 'three']) {
    await apply(project, { phone: 'ada', laptop: 'ada' });
    await persons.read(project, signal, rowsOf);
  }
  const [tables] = await engine.query(
    sql`select count(*)::integer as count from duckdb_tables() where database_name = 'kept' and estimated_size = 2`,
  );
  expect(tables).toEqual({ count: 1 });
  expect(await persons.read('one', signal, rowsOf)).toHaveLength(2);
});

it('keeps the position of the latest batch when an earlier one is applied again', async () => {
  const timestamp = Date.UTC(2026, 0, 1);
  for (const nextOffset of [2_000_000, 1_000_000]) {
    const batch = { topic: 'people', partition: 7, records: [{ timestamp }], nextOffset };
    await database.drizzle.transaction((tx) => saveChanges(tx, batch as never, []));
  }
  const [saved] = await database.sql`
    select next_offset::int as offset from applied_positions where topic = 'people' and partition = 7`;
  expect(saved).toEqual({ offset: 2_000_000 });
});
