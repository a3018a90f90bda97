import { buffer } from 'node:stream/consumers';
import { type ArchiveFileRecord, bucketOf, filesOfProject } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import { createLogger, systemClock } from '@switchboard/runtime';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EVENTS_GROUP } from '../events/consumer.ts';
import { ANY_PROJECT } from '../rows/contents.ts';
import { openFile } from '../rows/read.ts';
import { type ArchivedEvent, compareRows } from '../rows/row.ts';
import { archivedEvent, withStrings } from '../testing/archived-event.ts';
import { type EventsHarness, onPostgresAndFolder } from '../testing/events-harness.ts';
import { rowsIn, storeFile } from '../testing/files.ts';
import { publishFiles } from '../testing/published-files.ts';
import { work } from './compaction.ts';
import { createDueMerges, type DueMerges } from './due-merges.ts';
import { createFilesStore, type FilesStore } from './store.ts';

let harness: EventsHarness;
let store: FilesStore;
beforeAll(async () => {
  harness = await onPostgresAndFolder();
  store = createFilesStore(harness.database.drizzle);
});
afterAll(() => harness.stop());
beforeEach(async () => {
  await harness.database.drizzle.execute(sql`truncate event_files, erased_projects, adoptions`);
  for await (const { key } of harness.objects.list('events/')) await harness.objects.delete(key);
});

const DAY = '2026-03-01';
const noon = new Date(`${DAY}T12:00:00Z`);
const nextDay = new Date('2026-03-02T02:00:00Z');
const names = ['page seen', 'é', '\u{1f600}', 'signed up'];
let line = 0;
/** Returns events of several projects, in random order. */
const events = (count: number, projects: number, more: Partial<ArchivedEvent> = {}) =>
  Array.from({ length: count }, (_, index) =>
    archivedEvent(0, {
      line: line++,
      projectId: `project-${(index * 11) % projects}`,
      eventName: names[index % 4] ?? '',
      distinctId: `person-${(index * 13) % 20}`,
      occurredAt: 1_772_350_200_123 - ((index * 31) % 1000),
      ...more,
    }),
  );

const put = (name: string, rows: ArchivedEvent[], coverage = ANY_PROJECT) =>
  storeFile({ ...harness, key: `events/${DAY}/${name}.parquet`, day: DAY, events: rows, coverage });

/** Options unrelated to files. */
const around = {
  group: EVENTS_GROUP,
  log: { lag: async () => [] },
  logger: createLogger({ service: 'archive', level: 'silent' }),
  retentionHours: 168,
};

const run = (
  at: Date,
  more: { replacedSeconds?: number; merges?: DueMerges; log?: Pick<EventLog, 'lag'> } = {},
) =>
  work({
    store,
    objects: harness.objects,
    threads: harness.threads,
    ...around,
    clock: { ...systemClock, now: () => at },
    replacedSeconds: 3600,
    signal: new AbortController().signal,
    merges: createDueMerges({ store }),
    onMerged: () => undefined,
    ...more,
  });

const linesOf = (rows: ArchivedEvent[]) => rows.map((row) => row.line).sort((a, b) => a - b);
const read = () => store.readable('2026-01-01', 10_000);

const published = () => publishFiles(harness);

describe('merging files', () => {
  it('waits until a day has many files, and leaves one with all their rows in order', async () => {
    const all = Array.from({ length: 16 }, () => events(300, 5));
    for (const [index, rows] of all.slice(1).entries()) await put(`f${index}`, rows);
    await run(noon);
    expect(await read()).toHaveLength(15);
    await put('last', all[0] ?? []);
    await run(noon);
    const [file, ...others] = await read();
    expect([file?.rows, file?.projectId, file?.bucket, others.length]).toEqual([4800, null, null, 0]);
    const groups = [];
    const opened = file && (await openFile(harness.objects, file));
    if (opened !== undefined) for await (const group of opened.groups()) groups.push(group.map(withStrings));
    expect(groups.map((rows) => rows.length)).toEqual([4096, 704]);
    const rows = groups.flat();
    expect(rows).toEqual(all.flat().sort(compareRows));
  });

  it('does not merge a merged file with as many small ones again until its day is over', async () => {
    for (const round of ['a', 'b']) {
      for (let index = 0; index < 16; index++) await put(`${round}${index}`, events(20, 5));
      await run(noon);
    }
    expect((await read()).map(({ rows }) => rows)).toEqual([320, 320]);
    await put('last', events(320, 5));
    await run(nextDay);
    expect((await read()).map(({ rows }) => rows)).toEqual([960]);
  });

  it('merges the remaining files of a day that is over, with each project that has its own files apart', async () => {
    for (const name of ['a', 'b']) {
      await put(name, events(10, 3));
      await put(`own-${name}`, events(10, 1, { projectId: 'large' }), { ...ANY_PROJECT, projectId: 'large' });
    }
    await run(nextDay);
    expect((await read()).map(({ rows, projectId }) => [rows, projectId]).sort()).toEqual([
      [20, null],
      [20, 'large'],
    ]);
  });

  it('does not write a large file again for a small one', async () => {
    await put('large', events(5_000, 3));
    await put('small', events(1, 1));
    await run(nextDay);
    expect(await read()).toHaveLength(2);
  });

  it('deletes replaced files once no one reads them, and then their rows', async () => {
    await put('a', events(10, 3));
    await put('b', events(10, 3));
    await run(nextDay);
    const before = (await published()).length;
    expect(await rowsIn(harness)).toHaveLength(20);
    const keys = [`events/${DAY}/a.parquet`, `events/${DAY}/b.parquet`];
    const kept: string[] = [];
    for await (const { key } of harness.objects.list('events/')) kept.push(key);
    expect(kept).toEqual(expect.arrayContaining(keys));
    await run(nextDay, { replacedSeconds: 0 });
    for (const key of keys) expect(await harness.objects.get(key)).toBeUndefined();
    expect(await rowsIn(harness)).toHaveLength(20);
    const topic = (await published()).slice(before);
    expect(topic.filter(({ key }) => keys.includes(key)).map(({ file }) => file)).toEqual([null, null]);
    await harness.database.drizzle.execute(
      sql`update event_files set deleted_at = deleted_at - interval '10 days'`,
    );
    await run(nextDay);
    expect(await store.find(keys)).toEqual([]);
  });

  it('discards a merge that takes longer than an hour, since its files may be deleted', async () => {
    const a = await put('a', events(10, 3));
    const step = { id: crypto.randomUUID(), replaced: [a.key], files: [{ ...a, key: 'events/prepared' }] };
    await store.prepare(step);
    await harness.database.drizzle.execute(
      sql`update event_files set replaced_at = replaced_at - interval '1 hour' where replaced_at is not null`,
    );
    expect(await store.replace(step)).toBe(false);
    expect((await read()).map(({ key }) => key)).toEqual([a.key]);
  });

  it('keeps replaced files until the topic has their replacement', async () => {
    await put('a', events(10, 3));
    await put('b', events(10, 3));
    await run(nextDay, { replacedSeconds: 0 });
    expect(await store.find([`events/${DAY}/a.parquet`])).toMatchObject([{ isDeleted: false }]);
    await published();
    await run(nextDay, { replacedSeconds: 0 });
    expect(await store.find([`events/${DAY}/a.parquet`])).toMatchObject([{ isDeleted: true }]);
  });

  it('keeps the old files, and leaves no unknown objects, when a merge is interrupted', async () => {
    await put('a', events(10, 3));
    await put('b', events(10, 3));
    const stopping = new AbortController();
    const failing = {
      ...harness.objects,
      async put(key: string, bytes: Uint8Array) {
        await harness.objects.put(key, bytes);
        stopping.abort(new Error('killed'));
      },
    };
    const killed = work({
      store,
      objects: failing,
      threads: harness.threads,
      ...around,
      clock: { ...systemClock, now: () => nextDay },
      replacedSeconds: 3600,
      signal: stopping.signal,
      merges: createDueMerges({ store }),
      onMerged: () => undefined,
    });
    await expect(killed).rejects.toThrow('killed');
    expect((await read()).map(({ key }) => key)).toEqual([
      `events/${DAY}/a.parquet`,
      `events/${DAY}/b.parquet`,
    ]);
    await harness.database.drizzle.execute(
      sql`update event_files set replaced_at = replaced_at - interval '3 hours' where replaced_at is not null`,
    );
    await run(nextDay);
    const left: string[] = [];
    for await (const { key } of harness.objects.list('events/')) left.push(key);
    expect(left).toHaveLength(3);
    expect((await rowsIn(harness)).length).toBe(20);
  });

  it.each([
    ['missing', (key: string) => harness.objects.delete(key)],
    ['unreadable', (key: string) => harness.objects.put(key, Buffer.from('not a file'))],
  ])('leaves a file that is %s out for a while, and merges the others', async (_what, damage) => {
    let elapsed = 0;
    const merges = createDueMerges({ store, elapsed: () => elapsed });
    for (const name of ['a', 'b', 'c']) await put(name, events(10, 3));
    for (const name of ['own-a', 'own-b'])
      await put(name, events(10, 1, { projectId: 'large' }), { ...ANY_PROJECT, projectId: 'large' });
    await published();
    const key = `events/${DAY}/a.parquet`;
    const object = await harness.objects.get(key);
    const bytes = object && (await buffer(object.body));
    await damage(key);
    await run(nextDay, { merges, replacedSeconds: 0 });
    expect((await read()).map(({ rows, projectId }) => [rows, projectId]).sort()).toEqual([
      [10, null],
      [20, null],
      [20, 'large'],
    ]);
    expect((await store.find([`events/${DAY}/b.parquet`]))[0]?.isDeleted).toBe(true);
    await harness.objects.put(key, bytes ?? Buffer.of());
    await put('d', events(10, 3));
    const isLeft = async () => (await read()).some((file) => file.key === key);
    elapsed = 30_000;
    await run(nextDay, { merges });
    expect(await isLeft()).toBe(true);
    elapsed = 90_000;
    await run(nextDay, { merges });
    expect(await isLeft()).toBe(false);
    expect((await rowsIn(harness)).length).toBe(60);
  });

  it('erases the events of a project on request', async () => {
    await put('a', events(10, 2));
    await published();
    await harness.database.drizzle.execute(
      sql`insert into erased_projects (project_id) values ('project-0')`,
    );
    await run(noon);
    expect(new Set((await rowsIn(harness)).map((row) => row.projectId))).toEqual(new Set(['project-1']));
    expect(await store.projectsToErase()).toEqual([]);
  });

  it('continues with everything else when the erasure of a project fails, and retries it', async () => {
    for (const name of ['a', 'b']) await put(name, events(10, 2));
    // In another bucket, so that the erasure of project-0 does not read it.
    const bucket = 1 - bucketOf('project-0', 2);
    const damaged = ['p', 'q', 'r', 's', 't', 'u'].find((id) => bucketOf(id, 2) === bucket) ?? '';
    await put('bucket', events(10, 1, { projectId: damaged }), { projectId: null, bucket, buckets: 2 });
    await published();
    const key = `events/${DAY}/bucket.parquet`;
    const object = await harness.objects.get(key);
    const bytes = object && (await buffer(object.body));
    await harness.objects.put(key, Buffer.from('not a file'));
    await harness.database.drizzle.execute(sql`
      insert into erased_projects (project_id, requested_at) values (${damaged}, now()), ('project-0', now() + interval '1 s')`);
    await run(nextDay, { replacedSeconds: 0 });
    expect(await store.projectsToErase()).toEqual([damaged]);
    expect((await read()).map(({ rows, projectId }) => [rows, projectId])).toContainEqual([10, null]);
    expect((await store.find([`events/${DAY}/b.parquet`]))[0]?.isDeleted).toBe(true);
    await harness.objects.put(key, bytes ?? Buffer.of());
    await published();
    await run(nextDay);
    expect(await store.projectsToErase()).toEqual([]);
    expect(new Set((await rowsIn(harness)).map((row) => row.projectId))).toEqual(new Set(['project-1']));
  });

  it('leaves the files of a day alone if the rebuild of their manifest failed, and merges those of other days', async () => {
    const other = '2026-02-28';
    const bad = `events/${other}/events-0-${'0'.repeat(16)}-1000.parquet`;
    await harness.objects.put(bad, Buffer.from('not a file'));
    await harness.database.drizzle.execute(sql`insert into adoptions default values`);
    for (const name of ['a', 'b']) {
      await put(name, events(10, 2));
      const file = { key: `events/${other}/${name}.parquet`, day: other, events: events(10, 2) };
      await storeFile({ ...harness, ...file, coverage: ANY_PROJECT });
    }
    const lag = async () => [{ topic: 'events', partition: 0, committed: 1n, end: 1n, behind: 0n }];
    await run(nextDay, { log: { lag } });
    const days = async () => (await read()).map(({ day, rows }) => [day, rows]);
    expect(await days()).toEqual([
      [other, 10],
      [other, 10],
      [DAY, 20],
    ]);
    expect(await store.isRebuildWanted()).toBe(true);
    await harness.objects.delete(bad);
    await run(nextDay, { log: { lag } });
    expect(await store.isRebuildWanted()).toBe(false);
    expect(await days()).toEqual([
      [other, 20],
      [DAY, 20],
    ]);
  });
});

describe('readers of the topic', () => {
  it('shows a reader every row of a project once, whichever record it has seen last', async () => {
    const before = (await published()).length;
    const all: ArchivedEvent[] = [];
    for (let index = 0; index < 8; index++) {
      const rows = events(60, 7);
      all.push(...rows);
      await put(`f${index}`, rows);
    }
    const [first] = await read();
    const mergeBytes = 2 * (first?.bytes ?? 0);
    await published();
    await run(nextDay, { merges: createDueMerges({ store, mergeBytes }) });
    const records = (await published()).slice(before);
    expect(new Set(records.map(({ file }) => file?.buckets))).toEqual(new Set([null, 4]));

    const known = new Map<string, ArchiveFileRecord>();
    const rowsByKey = new Map<string, ArchivedEvent[]>();
    for await (const { key, size } of harness.objects.list('events/')) {
      const rows: ArchivedEvent[] = [];
      const file = await openFile(harness.objects, { key, bytes: size });
      if (file !== undefined) for await (const group of file.groups()) rows.push(...group.map(withStrings));
      rowsByKey.set(key, rows);
    }
    const projects = [...new Set(all.map((row) => row.projectId))];
    for (const [index, { key, file }] of records.entries()) {
      if (file === null) known.delete(key);
      else known.set(key, file);
      if (index < 7) continue;
      for (const project of projects) {
        const seen = filesOfProject(known.values(), project).flatMap(
          ({ key: of }) => rowsByKey.get(of) ?? [],
        );
        const own = (rows: ArchivedEvent[]) => linesOf(rows.filter((row) => row.projectId === project));
        expect(own(seen)).toEqual(own(all));
      }
    }
    const files = filesOfProject(known.values(), 'project-1');
    expect(new Set(files.map(({ buckets }) => buckets))).toEqual(new Set([4]));
  });

  it('publishes every file again when the topic was lost', async () => {
    await put('a', events(10, 3));
    await published();
    await harness.database.drizzle.execute(sql`update published_files set next_offset = 1000000`);
    const b = await put('b', events(10, 3));
    // Still being written, so it must not be read yet.
    await store.prepare({ id: crypto.randomUUID(), replaced: [], files: [{ ...b, key: 'events/prepared' }] });
    const records = await published();
    expect(records.slice(-2).map(({ key }) => key)).toEqual([
      `events/${DAY}/a.parquet`,
      `events/${DAY}/b.parquet`,
    ]);
  });
});
