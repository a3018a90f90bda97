import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Transactor } from '@switchboard/database';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { systemClock } from '@switchboard/runtime';
import { startS3, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { createEventErasure } from '../files/event-erasure.ts';
import { deleteFiles } from '../files/rewrite.ts';
import { createFilesStore } from '../files/store.ts';
import { archiveMigrations } from '../schema/migrations.ts';
import { sent } from '../testing/events-harness.ts';
import { rowsIn } from '../testing/files.ts';
import type { SentEvent } from '../testing/records.ts';
import { openThreads } from '../wiring/threads.ts';
import { createImports } from './imports.ts';
import { createImportsStore } from './store.ts';

const [s3, test, folder] = await Promise.all([
  startS3(),
  testDatabase({ migrations: [archiveMigrations] }),
  mkdtemp(join(tmpdir(), 'switchboard-imports-')),
]);
const objects = openObjectStore(s3 ?? { folder });
const database = openDatabase({ url: test.url, applicationName: 'test' });
const db = database.drizzle;
const threads = openThreads({ size: 1, objects });
const files = createFilesStore(db);
const store = createImportsStore(db);
afterAll(async () => {
  await threads.stop();
  objects.close();
  await database.close();
  await Promise.all([test.drop(), s3?.stop(), rm(folder, { recursive: true })]);
});
beforeEach(async () => {
  for (const key of await stored()) await objects.delete(key);
  await database.sql`truncate event_files, imports, import_parts`;
});

async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects.list('events/')) keys.push(key);
  return keys;
}

const path = { projectId: 'shop', importId: 'one' };
const wanted = { source: 'posthog', name: 'export.jsonl', totalParts: null } as const;
const importsWith = (put: ObjectStore['put'] = objects.put) =>
  createImports({ db, objects: { put, delete: objects.delete }, threads, clock: systemClock });
const imports = importsWith();

function part(...events: (SentEvent | string)[]) {
  const lines = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
  const value = Buffer.from(lines.join('\n'));
  return { value, sha256: hash('sha256', value, 'hex') };
}
const people = async () => (await rowsIn({ database, objects })).map((row) => row.distinctId).sort();
const ada = sent({ distinct_id: 'ada', timestamp: '2019-03-01T10:00:00+01:00', properties: { total: 1 } });
const grace = sent({ distinct_id: 'grace' });

it('imports each part once, with the events as sent', async () => {
  await imports.put(db, path, wanted);
  const first = part(ada, grace, ada);
  expect(await imports.putPart(db, { ...path, part: 0 }, first)).toEqual({ events: 2, isNew: true });
  expect(await imports.putPart(db, { ...path, part: 0 }, first)).toEqual({ events: 2, isNew: false });
  await imports.putPart(db, { ...path, part: 2 }, part(sent({ distinct_id: 'linus' })));
  await expect(imports.putPart(db, { ...path, part: 2 }, part(grace))).rejects.toThrow('another content');
  expect(await people()).toEqual(['ada', 'grace', 'linus']);
  expect((await rowsIn({ database, objects })).find((row) => row.distinctId === 'ada')).toMatchObject({
    projectId: 'shop',
    eventId: ada.event_id,
    timestamp: ada.timestamp,
    occurredAt: Date.parse('2019-03-01T09:00:00Z'),
    properties: '{"total":1}',
    isBot: false,
  });
  const known = { id: 'one', source: 'posthog', parts: 2, events: 3, nextPart: 1, totalParts: null };
  expect(await imports.get(path)).toMatchObject(known);
  await imports.putPart(db, { ...path, part: 1 }, part(sent()));
  expect(await imports.put(db, path, { ...wanted, totalParts: 3 })).toMatchObject({
    ...{ parts: 3, nextPart: 3, totalParts: 3 },
  });
  await expect(imports.put(db, path, { ...wanted, source: 'csv' })).rejects.toThrow('source posthog');
});

it('imports a part once when it is sent several times at once', async () => {
  await imports.put(db, path, wanted);
  const others = [imports, importsWith(), importsWith()];
  const answers = await Promise.all(others.map((one) => one.putPart(db, { ...path, part: 0 }, part(ada))));
  expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(await people()).toEqual(['ada']);
  expect(await imports.get(path)).toMatchObject({ parts: 1, events: 1 });
});

it('reads nothing of a part that was interrupted after its file was stored, and imports it the next time', async () => {
  await imports.put(db, path, wanted);
  const killed: Transactor = {
    transaction: async () => {
      throw new Error('killed');
    },
  };
  await expect(imports.putPart(killed, { ...path, part: 0 }, part(ada))).rejects.toThrow('killed');
  expect(await people()).toEqual([]);
  expect(await imports.get(path)).toMatchObject({ parts: 0, nextPart: 0 });
  await imports.putPart(db, { ...path, part: 0 }, part(ada));
  expect(await people()).toEqual(['ada']);
  expect(await stored()).toHaveLength(2);
  // An hour later, merging deletes files that were never read.
  await database.sql`update event_files set replaced_at = replaced_at - interval '3 hours'`;
  const abandoned = (await files.replacedBefore(3600, 10)).map((key) => ({ key }));
  await deleteFiles(abandoned, { store: files, objects });
  expect(await stored()).toHaveLength(1);
  expect(await people()).toEqual(['ada']);
});

it.each([
  ['another checksum', { ...part(ada), sha256: part(grace).sha256 }, 'sha256: the body has'],
  ['no events', part(), 'body: no events'],
  ['a line that is not JSON', part(ada, '{'), 'line 2: not JSON'],
  ['an invalid event', part(ada, { ...grace, timestamp: 'yesterday' }), 'line 2: timestamp:'],
  ['an empty id', part({ ...grace, distinct_id: '' }), 'line 1: distinct_id:'],
  [
    'a large event',
    part({ ...grace, properties: { text: 'a'.repeat(900_000) } }),
    'line 1: larger than 900000',
  ],
  ['too many events', part('{}\n'.repeat(10_001)), 'more than 10000 events'],
  [
    'other bytes',
    { value: Buffer.from([0xff]), sha256: hash('sha256', Buffer.from([0xff]), 'hex') },
    'not UTF-8',
  ],
])('refuses a part with %s', async (_, sentPart, message) => {
  await imports.put(db, path, wanted);
  await expect(imports.putPart(db, { ...path, part: 0 }, sentPart)).rejects.toThrow(message);
  expect(await people()).toEqual([]);
  expect(await imports.get(path)).toMatchObject({ parts: 0 });
});

it('keeps the imports of projects apart', async () => {
  const blog = { ...path, projectId: 'blog' };
  await imports.put(db, path, wanted);
  await expect(imports.putPart(db, { ...blog, part: 0 }, part(ada))).rejects.toThrow('Import not found');
  await imports.put(db, blog, wanted);
  await imports.putPart(db, { ...path, part: 0 }, part(ada));
  expect(await imports.putPart(db, { ...blog, part: 0 }, part(ada))).toEqual({ events: 1, isNew: true });
  const { rows } = await imports.list('blog', { limit: 10 });
  expect(rows).toMatchObject([{ id: 'one', events: 1 }]);
});

it('lists imports newest first, page by page', async () => {
  for (const importId of ['a', 'b', 'c']) await imports.put(db, { ...path, importId }, wanted);
  const first = await imports.list('shop', { limit: 2 });
  const second = await imports.list('shop', { limit: 2, cursor: first.nextCursor ?? '' });
  expect([...first.rows, ...second.rows].map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
  expect([first.rows.length, second.nextCursor]).toEqual([2, null]);
});

it('erases an imported person, also while a part with them is imported', async () => {
  const erasure = createEventErasure({ files, objects, threads });
  const publish = () => database.sql`update event_files set published_at = now()`;
  const erase = async () => {
    await publish();
    const erased = { projectId: 'shop', distinctIds: new Set(['grace']) };
    await erasure.erase(erased, new AbortController().signal);
  };
  await imports.put(db, path, wanted);
  await imports.putPart(db, { ...path, part: 0 }, part(ada, grace));
  await erase();
  expect(await people()).toEqual(['ada']);
  expect(await imports.putPart(db, { ...path, part: 0 }, part(ada, grace))).toMatchObject({ isNew: false });
  const during = importsWith(async (key, bytes) => {
    await objects.put(key, bytes);
    await erase();
  });
  await expect(during.putPart(db, { ...path, part: 1 }, part(grace))).rejects.toThrow('erasure');
  expect(await people()).toEqual(['ada']);
  expect(await imports.get(path)).toMatchObject({ parts: 1, nextPart: 1 });
});

it('forgets imports with their project, after which no part is imported', async () => {
  await imports.put(db, path, wanted);
  await imports.putPart(db, { ...path, part: 0 }, part(ada));
  const during = importsWith(async (key, bytes) => {
    await objects.put(key, bytes);
    while ((await store.removeProject('shop', 10)) > 0);
  });
  await expect(during.putPart(db, { ...path, part: 1 }, part(grace))).rejects.toThrow('Import not found');
  expect(await people()).toEqual(['ada']);
  const [left] = await database.sql`select count(*)::int as n from import_parts`;
  expect(left?.['n']).toBe(0);
});

it('forgets imports that ended before a time', async () => {
  await imports.put(db, path, wanted);
  await imports.putPart(db, { ...path, part: 0 }, part(ada));
  await store.removeBefore(new Date(Date.now() - 60_000), 10);
  expect(await imports.get(path)).toMatchObject({ parts: 1 });
  const later = new Date(Date.now() + 60_000);
  while ((await store.removeBefore(later, 10)) > 0);
  await expect(imports.get(path)).rejects.toThrow('Import not found');
  expect(await store.oldest()).toBeUndefined();
});
