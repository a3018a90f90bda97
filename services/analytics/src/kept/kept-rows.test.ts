import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { insightQuery } from '@switchboard/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { integer, type Sql, sql } from '../engine/sql.ts';
import { FileGone, type HeldFile } from '../files/cache.ts';
import { resultOf } from '../queries/result.ts';
import { type Case, casesOf } from '../testing/arbitraries.ts';
import { comparable, reference } from '../testing/reference.ts';
import { startDuckDb } from '../testing/table.ts';
import { createPeopleCounting } from '../timelines/timelines.ts';
import { createKeptRows, type FoundRows, rowsIn } from './kept-rows.ts';

/** The number of cases per kind. Set `INSIGHT_CASES=2000` for more. */
const CASES = Number(process.env['INSIGHT_CASES'] ?? 20);

let duckDb: Awaited<ReturnType<typeof startDuckDb>>;
beforeAll(async () => {
  duckDb = await startDuckDb();
});
afterAll(() => duckDb.stop());

let opened = 0;

/** Opens an empty folder of files and kept rows. */
async function openKept({ maxBytes = 100_000_000, minEvents = 1 } = {}) {
  const folder = join(duckDb.filesFolder, String(opened++));
  const keptFolder = join(folder, 'kept');
  await mkdir(folder, { recursive: true });
  const files = new Map<string, HeldFile>();
  const failures: unknown[] = [];
  const kept = createKeptRows({
    engine: duckDb.engine,
    cache: {
      hold: async (wanted) => ({
        files: wanted.flatMap(({ key }) => files.get(key) ?? []),
        check: async () => undefined,
        release: () => undefined,
      }),
    },
    folder: keptFolder,
    maxBytes,
    minEvents,
    minTogether: 2,
    logger: { ...console, failed: (_: string, error: unknown) => failures.push(error) } as never,
  });
  await kept.start();
  // Counts of few people are updated whatever changes.
  const count = createPeopleCounting({ engine: duckDb.engine, kept, maxChanged: Number.POSITIVE_INFINITY });
  return {
    kept,
    /** Counts the queries that read events by person, and those that counted everyone. */
    timelines: { count, used: 0, full: 0 },
    failures,
    folder: keptFolder,
    keptFiles: () => readdir(keptFolder),
    /** Writes the loaded events that fulfill a condition to a file. */
    async write(key: string, condition: Sql): Promise<HeldFile> {
      const path = join(folder, `${key}.parquet`);
      const { signal } = new AbortController();
      await duckDb.engine.save(sql`select * from cases where ${condition}`, path, signal);
      const file = { key, path, bytes: 1 };
      files.set(key, file);
      return file;
    },
  };
}

/** Asks a query of a case about the events of files. */
function ask(
  { query, asOf, cohorts }: Case,
  index: number,
  files: readonly HeldFile[],
  { kept, timelines: known }: Pick<Awaited<ReturnType<typeof openKept>>, 'kept' | 'timelines'>,
) {
  const source = duckDb.sourceOf(index);
  const { signal } = new AbortController();
  const used: Pick<FoundRows, 'check' | 'release'>[] = [];
  return resultOf(query, {
    source: {
      ...source,
      events: rowsIn(files.map(({ path }) => path)),
      dialect: duckDb.engine.dialect,
      cohorts,
      kept(rowsOf) {
        const found = kept.find(source.projectId, files, rowsOf);
        used.push(found);
        if (found.kept.length === 0) return undefined;
        const rest =
          found.rest.length === 0
            ? sql`(from cases where false)`
            : rowsIn(found.rest.map(({ path }) => path));
        return { rows: rowsIn(found.kept.map(({ path }) => path)), events: rest };
      },
      async countPeople(queries, counter) {
        const { projectId, personIds } = source;
        const asked = { projectId, files, personIds, signal };
        const empty = () => {
          known.full++;
          return counter.empty();
        };
        const { counts, ...using } = await known.count(asked, queries, { ...counter, empty });
        used.push(using);
        if (counts !== undefined) known.used++;
        return counts;
      },
    },
    now: asOf,
    asOf,
    run: duckDb.engine.query,
    eachPerson: duckDb.engine.eachPerson,
  })
    .catch(async (error: unknown) => {
      for (const { check } of used) await check();
      throw error;
    })
    .finally(() => {
      for (const { release } of used) release();
    });
}

const part = (from: number, to: number) =>
  sql`hash(event_id) % 4 >= ${integer(from)} and hash(event_id) % 4 < ${integer(to)}`;

test.each(['trends', 'funnel', 'retention', 'stickiness', 'lifecycle'] as const)(
  'answers %s from kept rows and new files as the plain reference does',
  async (kind) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const cases = fc.sample(casesOf(kind), { numRuns: CASES, seed });
    const opened = await openKept();
    const { kept, failures, write, timelines } = opened;
    // Rows are kept before ids are joined.
    await duckDb.load(cases.map((one) => ({ ...one, personIds: {} })));
    const [first, second, late] = [
      await write('first', part(0, 1)),
      await write('second', part(1, 3)),
      await write('late', part(3, 4)),
    ];
    const merged = await write('merged', part(0, 3));

    const askAll = async (files: readonly HeldFile[], isKept: boolean) => {
      for (const [index, one] of cases.entries()) {
        const about = `seed ${seed}, case ${index}: ${JSON.stringify([one.query, one.people, one.personIds])}`;
        const report = await ask(one, index, files, opened).catch((cause: unknown) => {
          throw new Error(about, { cause });
        });
        if (!isKept) continue;
        const expected = reference(one.query, { ...one, now: one.asOf });
        expect(comparable(report), about).toMatchObject(comparable(expected));
      }
      await kept.settled();
      expect(failures).toEqual([]);
    };

    await askAll([first, second], false);
    expect(kept.bytes()).toBeGreaterThan(0);
    await askAll([first, second], false);
    const { full, used } = timelines;
    await duckDb.load(cases);
    // Late events of the same days arrive in another file, and ids are joined.
    await askAll([first, second, late], true);
    const before = { ...kept.reads() };
    await askAll([first, second, late], true);
    // Counts were updated, except those of an equal series, which is counted at the same time.
    expect(timelines.full - full).toBeLessThanOrEqual((timelines.used - used) / 2);
    expect(kept.reads().hits).toBeGreaterThan(before.hits);
    // Replaces two of the files.
    await kept.drop(['first', 'second']);
    await askAll([merged, late], true);
    await askAll([merged, late], true);
    // Few of the trends count people.
    if (kind !== 'trends') expect(full).toBeGreaterThan(0);
  },
  600_000,
);

/** Loads events of three people, and asks how many there are. */
async function peopleOf(options: Parameters<typeof openKept>[0] = {}) {
  const opened = await openKept(options);
  const events = ['ada', 'béa', 'erased'].map((person, index) => ({
    ...{ id: String(index), t: Date.parse('2026-03-01T12:00Z'), name: 'a', person },
    ...{ session: null, properties: null, context: null },
  }));
  const known = { events, people: {}, personIds: {}, cohorts: new Map(), asOf: 0 };
  const query = insightQuery.parse({
    kind: 'trends',
    range: { from: '2026-03-01', to: '2026-03-01' },
    series: [{ event: 'a', measure: 'people' }],
  });
  await duckDb.load([known]);
  return {
    ...opened,
    async count(files: readonly HeldFile[]) {
      const report = await ask({ ...known, query }, 0, files, opened);
      await opened.kept.settled();
      return report.kind === 'line' ? report.series[0]?.values[0] : undefined;
    },
  };
}

test('deletes the kept rows of a replaced file, so that no id of an erased person remains on disk', async () => {
  const { kept, keptFiles, write, count, folder } = await peopleOf();
  const [before, after] = [
    await write('before', sql`true`),
    await write('after', sql`distinct_id <> 'erased'`),
  ];
  expect(await count([before])).toBe(3);
  /** Returns the people with a hash in any file. */
  const idsOnDisk = async () => {
    const paths = (await keptFiles()).map((name) => join(folder, name));
    const kept = await Promise.all(paths.map((path) => readFile(path)));
    const hashes = await duckDb.engine.query(
      sql`select p, hash(p) as h from (select unnest(['ada', 'béa', 'erased']) as p)`,
    );
    return hashes.flatMap(({ p, h }) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt(String(h)));
      return kept.some((file) => file.includes(bytes)) ? [p] : [];
    });
  };
  expect(await idsOnDisk()).toEqual(['ada', 'béa', 'erased']);
  expect(kept.keys()).toEqual(['before']);
  await kept.drop(['before']);
  expect(await idsOnDisk()).toEqual([]);
  expect([kept.keys(), kept.bytes()]).toEqual([[], 0]);
  expect(await count([after])).toBe(2);
  expect(await idsOnDisk()).toEqual(['ada', 'béa']);
});

test('deletes rows that are in use, or being computed, once their file is replaced', async () => {
  const { kept, keptFiles, write, count } = await peopleOf();
  const [used, late] = [await write('used', sql`true`), await write('late', sql`true`)];
  await count([used]);
  const question = (events: Sql) => sql`select count(*) as n from ${events}`;
  kept.find('p0', [used], question).release();
  await kept.settled();
  const found = kept.find('p0', [used], question);
  await kept.drop(['used']);
  expect(await keptFiles()).toHaveLength(1);
  found.release();
  await expect.poll(keptFiles).toEqual([]);

  kept.find('p0', [late], question).release();
  await expect.poll(() => kept.keys(), { interval: 1 }).toEqual(['late']);
  await kept.drop(['late']);
  await kept.settled();
  expect([kept.keys(), await keptFiles()]).toEqual([[], []]);
});

test('keeps the most recently used rows that fit', async () => {
  const { kept, keptFiles, write, count } = await peopleOf({ maxBytes: 1_000 });
  const files = [
    await write('one', sql`true`),
    await write('two', sql`true`),
    await write('three', sql`true`),
  ];
  for (const file of files) expect(await count([file])).toBe(3);
  expect(kept.keys().at(-1)).toBe('three');
  expect(kept.bytes()).toBeLessThanOrEqual(1_000);
  expect(await keptFiles()).toHaveLength(kept.keys().length);
  expect(kept.keys().length).toBeLessThan(3);
});

test('keeps the rows of several files together as well, once each has its own', async () => {
  const { kept, keptFiles, write } = await peopleOf();
  const files = [
    await write('one', sql`distinct_id = 'ada'`),
    await write('two', sql`distinct_id = 'béa'`),
    await write('three', sql`distinct_id = 'erased'`),
  ];
  const question = (events: Sql) => sql`select * from ${events}`;
  const keeping = { save: duckDb.engine.save, bytesTogether: 2 };
  const findIn = async (some: readonly HeldFile[]) => {
    const found = kept.find('p0', some, question, keeping);
    found.release();
    await kept.settled();
    return found.kept.map((one) => one.files);
  };
  expect(await findIn(files)).toEqual([]);
  expect(await findIn(files)).toEqual([['one'], ['two'], ['three']]);
  expect(await findIn(files)).toEqual([['one', 'two'], ['three']]);
  expect(await findIn(files.slice(1))).toEqual([['two'], ['three']]);
  expect(await findIn(files.slice(1))).toEqual([['two', 'three']]);
  expect(await keptFiles()).toHaveLength(5);
  await kept.drop(['two']);
  expect(await findIn(files)).toEqual([['one'], ['three']]);
  await kept.drop(['one', 'two', 'three']);
  expect([kept.keys(), await keptFiles(), kept.bytes()]).toEqual([[], [], 0]);
});

test('keeps no rows of a file with few events of a project', async () => {
  const { kept, failures, write } = await peopleOf({ minEvents: 4 });
  const file = await write('few', sql`true`);
  kept.find('p0', [file], (events) => sql`select * from ${events}`).release();
  await kept.settled();
  expect([kept.keys(), failures]).toEqual([[], []]);
});

test('computes rows again after another process deleted them', async () => {
  const { folder, keptFiles, write, count } = await peopleOf();
  const file = await write('file', sql`true`);
  await count([file]);
  for (const name of await keptFiles()) await rm(join(folder, name));
  await expect(count([file])).rejects.toThrow(FileGone);
  expect(await count([file])).toBe(3);
  expect(await keptFiles()).toHaveLength(1);
});

test('computes missing rows while no query runs', async () => {
  const { kept, keptFiles, write } = await peopleOf();
  const file = await write('file', sql`true`);
  const people = await duckDb.engine.createPeople();
  kept.find('p0', [file], (events) => sql`select * from ${events}`).release();
  // Its rows are next.
  await expect.poll(() => kept.keys(), { interval: 1 }).toEqual(['file']);
  expect(await keptFiles()).toEqual([]);
  await people.drop();
  await kept.settled();
  expect(await keptFiles()).toHaveLength(1);
});
