import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bucketOf } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { testDatabase } from '@switchboard/testkit';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEventErasure } from '../files/event-erasure.ts';
import { createFilesStore } from '../files/store.ts';
import { ANY_PROJECT, type Coverage } from '../rows/contents.ts';
import { encodeEvents } from '../rows/encode.ts';
import { archiveMigrations } from '../schema/migrations.ts';
import { archivedEvent } from '../testing/archived-event.ts';
import { rowsIn, storeFile } from '../testing/files.ts';
import { openThreads } from '../wiring/threads.ts';
import { createErasure } from './erasure.ts';

const test = await testDatabase({ migrations: [archiveMigrations] });
const database = openDatabase({ url: test.url, applicationName: 'test' });
const files = createFilesStore(database.drizzle);
let folder: string;
let objects: ObjectStore;
let readFrom: ObjectStore;
const threads = openThreads({ size: 1, objects: { get: (key, range) => readFrom.get(key, range) } });
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-erasure-'));
  objects = openObjectStore({ folder });
  readFrom = objects;
  await database.sql`truncate event_files`;
});
afterEach(() => rm(folder, { recursive: true }));
afterAll(async () => {
  await threads.stop();
  await database.close();
  await test.drop();
});

async function erase(on = objects, signal = new AbortController().signal) {
  readFrom = on;
  await createErasure({
    events: createEventErasure({ files, objects: on, threads }),
    store: { listReplays: async () => ({ rows: [], readUntil: undefined }) },
    personIds: { remove: async () => [], removeProject: async () => undefined },
    replays: { remove: async () => 0, removeProject: async () => undefined },
    letters: { removeProject: async () => 0 },
    imports: { removeProject: async () => 0 },
  }).erasePerson?.({ kind: 'person', projectId: 'shop', distinctIds: ['grace'], userId: null }, signal);
}

const grace = archivedEvent(1, { distinctId: 'grace' });
/** An event of another project with the same id. */
const other = archivedEvent(2, { distinctId: 'grace', projectId: 'blog' });
/** Stores a file and publishes it to the topic. */
async function store(
  key: string,
  coverage?: Partial<Coverage>,
  events = [archivedEvent(0), grace, other],
): Promise<void> {
  const of = { ...ANY_PROJECT, ...coverage };
  await storeFile({ database, objects, key, day: '2026-03-01', events, coverage: of });
  await database.sql`update event_files set published_at = now() where key = ${key}`;
}
const people = async () =>
  (await rowsIn({ database, objects })).map((row) => `${row.projectId} ${row.distinctId}`).sort();

describe('the erasure of a person', () => {
  it('replaces the files that may have a person, and deletes the old ones at once', async () => {
    const bucket = { bucket: bucketOf('shop', 4), buckets: 4 };
    await store('events/2026-03-01/a.parquet');
    await store('events/2026-03-01/b.parquet', bucket);
    await store('events/2026-03-01/c.parquet', { projectId: 'shop' }, [grace]);
    await erase();
    expect(await people()).toEqual(['blog grace', 'blog grace', 'shop ada', 'shop ada']);
    const known = await files.find(['a', 'b', 'c'].map((name) => `events/2026-03-01/${name}.parquet`));
    expect(known.map(({ isDeleted }) => isDeleted)).toEqual([true, true, true]);
    for (const { key } of known) expect(await objects.get(key)).toBeUndefined();
    const read = await files.readable('2026-01-01', 10);
    expect(read.map(({ rows, bucket: of }) => [rows, of])).toEqual(
      expect.arrayContaining([
        [2, null],
        [2, bucket.bucket],
      ]),
    );
  });

  it('leaves files without the person, and files of other projects, as they are', async () => {
    await store('events/2026-03-01/a.parquet', {}, [archivedEvent(0), other]);
    await store('events/2026-03-01/b.parquet', { projectId: 'blog' }, [other]);
    const before = await files.readable('2026-01-01', 10);
    await erase();
    expect(await files.readable('2026-01-01', 10)).toEqual(before);
  });

  it('deletes a replaced file that has the person, though others may still be reading it', async () => {
    await store('events/2026-03-01/a.parquet');
    await store('events/2026-03-01/b.parquet', {}, [other]);
    await database.sql`update event_files set replaced_at = now() where key like '%a.parquet'`;
    await erase();
    expect(await objects.get('events/2026-03-01/a.parquet')).toBeUndefined();
    expect(await people()).toEqual(['blog grace']);
  });

  it('finds the person in a file that replaced others during the erasure', async () => {
    await store('events/2026-03-01/b.parquet');
    const merging: ObjectStore = {
      ...objects,
      async get(key, range) {
        if (key.endsWith('b.parquet')) {
          // Its key sorts before the file being read, so the listing of files has already passed it.
          await store('events/2026-03-01/a.parquet');
          await database.sql`update event_files set replaced_at = now() where key like '%b.parquet'`;
        }
        return objects.get(key, range);
      },
    };
    await erase(merging);
    expect(await people()).toEqual(['blog grace', 'shop ada']);
  });

  it('keeps a merge in progress from bringing the person back', async () => {
    await store('events/2026-03-01/a.parquet');
    const [a] = await files.readable('2026-01-01', 10);
    const step = {
      id: crypto.randomUUID(),
      replaced: ['events/2026-03-01/a.parquet'],
      files: a === undefined ? [] : [{ ...a, key: 'events/2026-03-01/merged.parquet' }],
    };
    await files.prepare(step);
    await erase();
    expect(await files.replace(step)).toBe(false);
    expect(await people()).toEqual(['blog grace', 'shop ada']);
  });

  it('gives up a merge of files that are being rewritten', async () => {
    await store('events/2026-03-01/a.parquet', {}, [other]);
    const [a] = await files.readable('2026-01-01', 10);
    const step = {
      id: crypto.randomUUID(),
      replaced: ['events/2026-03-01/a.parquet'],
      files: a === undefined ? [] : [{ ...a, key: 'events/2026-03-01/merged.parquet' }],
    };
    await files.prepare(step);
    await erase();
    expect(await files.replace(step)).toBe(false);
    expect(await people()).toEqual(['blog grace']);
  });

  it('keeps the rows of others in a merged file that becomes readable during the erasure', async () => {
    const [original, merged] = ['events/2026-03-01/a.parquet', 'events/2026-03-01/merged.parquet'];
    await store(original);
    const [a] = await files.readable('2026-01-01', 10);
    const step = {
      id: crypto.randomUUID(),
      replaced: [original],
      files: a === undefined ? [] : [{ ...a, key: merged }],
    };
    await files.prepare(step);
    await objects.put(merged, encodeEvents([other, archivedEvent(0), grace]));
    let isMerged = false;
    await erase({
      ...objects,
      async get(key, range) {
        // The listing of files has the merged file in its old state.
        if (!isMerged) isMerged = await files.replace(step);
        await database.sql`update event_files set published_at = now()`;
        return objects.get(key, range);
      },
    });
    expect(isMerged).toBe(true);
    expect(await people()).toEqual(['blog grace', 'shop ada']);
  });

  it('rewrites old files that hold a single project', async () => {
    const keys = [
      'events/shop/2026-03-01/events-0-1-1.parquet',
      'events/shop/2026-03-02/events-0-2-2.parquet',
    ];
    for (const key of keys) await objects.put(key, encodeEvents([archivedEvent(0), grace]));
    await objects.put('events/shop/2026-03-02/events-0-3-3.parquet', encodeEvents([grace]));
    await erase();
    expect(await people()).toEqual(['shop ada', 'shop ada']);
  });

  it('writes nothing after it is stopped, not even the file that it has read', async () => {
    await store('events/2026-03-01/a.parquet');
    const stopping = new AbortController();
    const stopsInTheFirst: ObjectStore = {
      ...objects,
      async get(key, range) {
        stopping.abort(new Error('stopped'));
        return await objects.get(key, range);
      },
    };
    await expect(erase(stopsInTheFirst, stopping.signal)).rejects.toThrow('stopped');
    expect(await people()).toEqual(['blog grace', 'shop ada', 'shop grace']);
  });
});

it('keeps the rows of other projects when a project is erased', async () => {
  await store('events/2026-03-01/a.parquet');
  await store('events/2026-03-01/b.parquet', { projectId: 'shop' }, [grace]);
  await objects.put('events/shop/2026-03-01/events-0-1-1.parquet', encodeEvents([grace]));
  const erasure = createEventErasure({ files, objects, threads });
  await erasure.erase({ projectId: 'shop', distinctIds: 'all' }, new AbortController().signal);
  expect(await people()).toEqual(['blog grace']);
});
