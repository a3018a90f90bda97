import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ArchiveFileRecord, bucketOf, filesOfProject } from '@switchboard/contracts';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { eventually } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ANY_PROJECT } from '../rows/contents.ts';
import { openFile } from '../rows/read.ts';
import type { ArchivedEvent } from '../rows/row.ts';
import { archivedEvent, withStrings } from '../testing/archived-event.ts';
import { type EventsHarness, onPostgresAndFolder } from '../testing/events-harness.ts';
import { storeFile } from '../testing/files.ts';
import { publishFiles } from '../testing/published-files.ts';
import { refOf } from './calls.ts';
import { createEventErasure } from './event-erasure.ts';
import type { MergeRule } from './merge.ts';
import { deleteFiles, replaceFiles } from './rewrite.ts';
import { createFilesStore, type FilesStore } from './store.ts';

const DAY = '2026-03-01';
const { signal } = new AbortController();
/** `forum` is in a different bucket than the others. */
const projects = ['shop', 'blog', 'forum'];
let harness: EventsHarness;
let store: FilesStore;
/** Copies of every object, as readers had them before deletion. */
let copies: ObjectStore;
let objects: ObjectStore;
let folder: string;
let line = 0;
beforeAll(async () => {
  harness = await onPostgresAndFolder();
  store = createFilesStore(harness.database.drizzle);
  folder = await mkdtemp(join(tmpdir(), 'switchboard-copies-'));
  copies = openObjectStore({ folder });
  objects = {
    ...harness.objects,
    async put(key, body) {
      await copies.put(key, body);
      return harness.objects.put(key, body);
    },
  };
});
afterAll(async () => {
  await harness.stop();
  await rm(folder, { recursive: true });
});
let published: number;
let stored: ArchivedEvent[];
beforeEach(async () => {
  await harness.database.drizzle.execute(sql`truncate event_files`);
  published = (await publishFiles(harness)).length;
  stored = [];
});

const keyOf = (name: string) => `events/${DAY}/${name}.parquet`;
/** Stores a file with a row for each project and each of these people. */
async function put(name: string, people = ['ada', 'grace']): Promise<string> {
  const events = projects.flatMap((projectId) =>
    people.map((distinctId) => archivedEvent(0, { line: line++, projectId, distinctId })),
  );
  stored.push(...events);
  const { key } = await storeFile({
    ...harness,
    objects,
    key: keyOf(name),
    day: DAY,
    events,
    coverage: ANY_PROJECT,
  });
  return key;
}

/** Merges readable files, and returns the keys of the new files. */
async function merge(keys: string[], to: MergeRule['to'] = ANY_PROJECT): Promise<string[]> {
  const before = await store.readableOf(DAY);
  const files = await store.find(keys);
  const merged = await harness.threads.use((thread) => thread.merge(files.map(refOf), { to }), signal);
  expect(await replaceFiles(files, merged ?? [], { store, objects, signal })).toBe(true);
  const known = new Set(before.map(({ key }) => key));
  return (await store.readableOf(DAY)).map(({ key }) => key).filter((key) => !known.has(key));
}

const originals: string[] = [];
const shapes: [string, () => Promise<void>][] = [
  ['a merged file', async () => void (await merge(originals))],
  [
    'a merge of merges',
    async () => {
      const [a = '', b = '', ...rest] = originals;
      const merged = [...(await merge([a, b])), ...(await merge(rest))];
      await merge(merged);
    },
  ],
  ['files of buckets', async () => void (await merge(originals, { split: 2 }))],
  [
    'files of buckets of merges',
    async () => {
      const [a = '', ...rest] = originals;
      await merge([a, ...(await merge(rest))], { split: 2 });
    },
  ],
];
beforeEach(async () => {
  originals.splice(0);
  // Keys that sort after those of merged files.
  for (const name of ['w', 'x', 'y', 'z'])
    originals.push(await put(name, name === 'z' ? ['ada'] : ['ada', 'grace']));
});

/** Returns the rows that a reader finds after each part of the topic that includes the originals. */
async function readings(): Promise<ArchivedEvent[][]> {
  const records = (await publishFiles(harness)).slice(published);
  const rows = new Map<string, ArchivedEvent[]>();
  for await (const { key, size } of copies.list('events/')) {
    const file = await openFile(copies, { key, bytes: size });
    const found: ArchivedEvent[] = [];
    if (file !== undefined) for await (const group of file.groups()) found.push(...group.map(withStrings));
    rows.set(key, found);
  }
  const known = new Map<string, ArchiveFileRecord>();
  const read: ArchivedEvent[][] = [];
  for (const [index, { key, file }] of records.entries()) {
    if (file === null) known.delete(key);
    else known.set(key, file);
    if (index < originals.length - 1) continue;
    const seen = projects.flatMap((project) =>
      filesOfProject(known.values(), project).flatMap((one) =>
        (rows.get(one.key) ?? []).filter((row) => row.projectId === project),
      ),
    );
    read.push(seen);
  }
  return read;
}

const linesOf = (rows: ArchivedEvent[]) => rows.map((row) => row.line).sort((a, b) => a - b);

/** Expects that removed rows never reappear, and that all rows disappear. */
function expectToVanish(parts: ArchivedEvent[][]) {
  for (const rows of parts) expect(linesOf(rows)).toEqual([...new Set(linesOf(rows))]);
  const sizes = parts.map((rows) => rows.length);
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  expect(sizes.at(-1)).toBe(0);
}

describe.each(shapes)('the erasure of a person from %s while its originals exist', (_shape, arrange) => {
  const isErased = (row: ArchivedEvent) => row.projectId === 'shop' && row.distinctId === 'grace';
  const erase = () =>
    createEventErasure({ files: store, objects, threads: harness.threads }).erase(
      { projectId: 'shop', distinctIds: new Set(['grace']) },
      signal,
    );

  it.each(['up to date', 'behind'])(
    'shows readers nothing twice during an erasure when the topic is %s',
    async (topic) => {
      await arrange();
      if (topic === 'up to date') await publishFiles(harness);
      const read = () => store.readableOf(DAY);
      const before = await read();
      const erasing = erase();
      if (topic === 'behind') {
        await eventually(async () => expect(await read()).not.toEqual(before));
        await publishFiles(harness);
      }
      await erasing;
      const left = await store.existing({
        projectId: 'shop',
        bucketOf: (n) => bucketOf('shop', n),
        after: '',
        limit: 99,
      });
      for (const file of left) {
        const opened = await openFile(harness.objects, file);
        const found: ArchivedEvent[] = [];
        if (opened !== undefined)
          for await (const group of opened.groups()) found.push(...group.map(withStrings));
        expect(found.filter(isErased)).toEqual([]);
      }
      const parts = await readings();
      const others = linesOf(stored.filter((row) => !isErased(row)));
      for (const rows of parts) {
        expect(linesOf(rows.filter((row) => !isErased(row)))).toEqual(others);
        const erased = linesOf(rows.filter(isErased));
        expect(erased).toEqual([...new Set(erased)]);
      }
      expect(parts.at(-1)?.filter(isErased)).toEqual([]);
    },
  );

  it('leaves no readable original when nothing remains of the merged file', async () => {
    await arrange();
    const erasure = createEventErasure({ files: store, objects, threads: harness.threads });
    for (const projectId of projects) {
      await publishFiles(harness);
      await erasure.erase({ projectId, distinctIds: 'all' }, signal);
    }
    expectToVanish(await readings());
    expect(await store.find(originals)).toMatchObject(originals.map(() => ({ isDeleted: true })));
  });
});

describe.each(shapes)('the originals of %s', (_shape, arrange) => {
  it('deletes originals before their replacement, in whichever order the deletion is requested', async () => {
    await arrange();
    await publishFiles(harness);
    // Ordered by key, with merged files first.
    await harness.database.drizzle.execute(sql`cluster event_files using event_files_pkey`);
    const keys = await store.replacedBefore(0, 100);
    await deleteFiles(
      keys.toReversed().map((key) => ({ key })),
      { store, objects },
    );
    for (const rows of await readings()) expect(linesOf(rows)).toEqual(linesOf(stored));
  });

  it('does not read originals again after the replacement expires', async () => {
    await arrange();
    await publishFiles(harness);
    expect(await store.expire('2026-03-02', 100)).toBe(0);
    await deleteFiles(
      (await store.replacedBefore(0, 100)).map((key) => ({ key })),
      { store, objects },
    );
    expect(await store.expire('2026-03-02', 100)).toBeGreaterThan(0);
    expectToVanish(await readings());
  });
});
