import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@switchboard/database';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { testDatabase } from '@switchboard/testkit';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { ANY_PROJECT } from '../rows/contents.ts';
import { encodeEvents } from '../rows/encode.ts';
import { openFile } from '../rows/read.ts';
import type { ArchivedEvent } from '../rows/row.ts';
import { archiveMigrations } from '../schema/migrations.ts';
import { archivedEvent } from '../testing/archived-event.ts';
import { storeFile } from '../testing/files.ts';
import { openThreads } from '../wiring/threads.ts';
import { rebuildManifest } from './manifest-rebuild.ts';
import { createFilesStore } from './store.ts';

const test = await testDatabase({ migrations: [archiveMigrations] });
const database = openDatabase({ url: test.url, applicationName: 'test' });
const store = createFilesStore(database.drizzle);
let folder: string;
let objects: ObjectStore;
const threads = openThreads({ size: 1, objects: { get: (key, range) => objects.get(key, range) } });
const errors: object[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-rebuild-'));
  objects = openObjectStore({ folder });
  errors.length = 0;
  await database.sql`truncate event_files`;
});
afterEach(() => rm(folder, { recursive: true }));
afterAll(async () => {
  await threads.stop();
  await database.close();
  await test.drop();
});

const DAY = '2026-03-01';
const STEP = '00000000-0000-4000-8000-00000000000';
/** Returns rows of records with these offsets, two per record. */
const rows = (offsets: number[], more: Partial<ArchivedEvent> = {}) =>
  offsets.flatMap((offset) =>
    [0, 1].map((line) => archivedEvent(0, { partition: 0, offset: BigInt(offset), line, ...more })),
  );
const segmentKey = (offset: number, project = '') =>
  `events/${project}${DAY}/events-0-${String(offset).padStart(16, '0')}-1000.parquet`;
const mergedKey = (step: number, number = 0) => `events/${DAY}/merged-${STEP}${step}-${number}.parquet`;
const put = (key: string, offsets: number[], more?: Partial<ArchivedEvent>) =>
  objects.put(key, encodeEvents(rows(offsets, more)));
const enter = (key: string, offsets: number[]) =>
  storeFile({ database, objects, key, day: DAY, events: rows(offsets), coverage: ANY_PROJECT });

const rebuild = (committed = 100n) =>
  rebuildManifest({
    store,
    objects,
    threads,
    log: { lag: async () => [{ topic: 'events', partition: 0, committed, end: 100n, behind: 0n }] },
    group: 'archive.events',
    isExpired: () => false,
    logger: {
      info: () => undefined,
      error: (fields: object) => errors.push(fields),
      failed: (_: string, __: unknown, fields: object) => errors.push(fields),
    } as never,
    signal: new AbortController().signal,
  });

/** Returns the offsets of the rows in all readable files. */
async function read(): Promise<number[]> {
  const found: number[] = [];
  for (const file of await store.readableOf(DAY)) {
    const opened = await openFile(objects, file);
    if (opened === undefined) throw new Error(`${file.key} is known but missing`);
    for await (const group of opened.groups()) found.push(...group.map((row) => Number(row.offset)));
  }
  return found.sort((a, b) => a - b);
}
const twice = (offsets: number[]) => offsets.flatMap((offset) => [offset, offset]);

it('records the files of unknown segments, including files of a single project', async () => {
  await enter(segmentKey(1), [1, 2]);
  await put(segmentKey(3), [3, 4]);
  await put(segmentKey(5, 'shop/'), [5]);
  await rebuild();
  await rebuild();
  expect(await read()).toEqual(twice([1, 2, 3, 4, 5]));
  const [, , former] = await store.readableOf(DAY);
  expect(former).toMatchObject({ projectId: 'shop', rows: 2, bucket: null });
});

it('leaves files alone when their records are read again', async () => {
  await put(segmentKey(1), [1, 2]);
  await put(segmentKey(3), [3, 4]);
  await rebuild(3n);
  expect(await read()).toEqual(twice([1, 2]));
  expect(await objects.get(segmentKey(3))).toBeDefined();
});

it('records merged files if their originals are gone, and drops the originals', async () => {
  await enter(segmentKey(1), [1, 2]);
  await enter(segmentKey(3), [3]);
  await objects.delete(segmentKey(1));
  await objects.delete(segmentKey(3));
  await put(mergedKey(1, 0), [1, 3]);
  await put(mergedKey(1, 1), [2]);
  await rebuild();
  expect(await read()).toEqual(twice([1, 2, 3]));
  expect(await store.readableOf(DAY)).toHaveLength(2);
});

it('keeps the originals of a merge where all of them exist, whether or not the merge was finished', async () => {
  await enter(segmentKey(1), [1, 2]);
  await put(segmentKey(3), [3]);
  await put(mergedKey(1, 0), [1, 3]);
  await rebuild();
  expect(await read()).toEqual(twice([1, 2, 3]));
  expect(await objects.get(mergedKey(1, 0))).toBeUndefined();
});

it('replaces the remaining originals of a merge, and a merged file that was merged again', async () => {
  await enter(segmentKey(1), [1]);
  await enter(segmentKey(2), [2]);
  await objects.delete(segmentKey(1));
  await put(segmentKey(3), [3]);
  await put(mergedKey(1), [1, 2]);
  await rebuild();
  await put(mergedKey(2), [1, 2, 3, 4]);
  await rebuild();
  expect(await read()).toEqual(twice([1, 2, 3, 4]));
  expect((await store.readableOf(DAY)).map(({ key }) => key)).toEqual([mergedKey(2)]);
});

it('does not bring back the originals of a missing file', async () => {
  const original = await enter(segmentKey(1), [1, 2]);
  await store.enter([{ ...original, key: mergedKey(1) }], [original.key]);
  await rebuild();
  expect(await read()).toEqual([]);
  expect(await store.find([original.key])).toMatchObject([{ isDeleted: true }]);
});

it('keeps a merged file of records with offsets that an earlier topic also had', async () => {
  const earlier = { receivedAt: Date.UTC(2026, 2, 1, 8), occurredAt: Date.UTC(2026, 2, 1, 8) };
  await enter(segmentKey(1), [1, 2]);
  await put(mergedKey(1), [1, 2], earlier);
  await rebuild();
  expect(await read()).toEqual(twice([1, 1, 2, 2]));
});

it('records the files of an earlier topic with offsets beyond the end of the topic', async () => {
  await put(segmentKey(200), [200]);
  await rebuild();
  expect(await read()).toEqual(twice([200]));
});

it('leaves a merged file alone, and logs it, where it has some rows of another file', async () => {
  await enter(segmentKey(1), [1, 2]);
  await put(mergedKey(1), [2, 3]);
  await rebuild();
  expect(await read()).toEqual(twice([1, 2]));
  expect(errors).toHaveLength(1);
});
