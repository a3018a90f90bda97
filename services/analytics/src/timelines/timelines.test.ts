import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eachPersonIn } from './by-person.ts';
import { gatherEvents } from './gathered.ts';
import { addChanged } from './joined-ids.ts';
import { PeopleTable } from './people-table.ts';
import { openTimeline, sectionsOf, type Timeline, timelineOf, writeTimeline } from './sections.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'timelines-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Event {
  /** The hash of a person. */
  hash: bigint;
  t: number;
  mark: number;
}

const { signal } = new AbortController();
const HASHES = Array.from({ length: 40 }, (_, index) =>
  BigInt.asUintN(64, BigInt(index + 1) * 0x9e3779b97f4a7c15n),
);

const eventsOf = (maxT: number, marks: number) =>
  fc.array(
    fc.record({
      hash: fc.constantFrom(...HASHES),
      t: fc.integer({ min: -maxT, max: maxT }),
      mark: fc.integer({ min: 1, max: marks }),
    }),
    { maxLength: 60 },
  );

/** Two lists of timelines, one of which has marks. One timeline may have times that need more than 32 bits. */
const listsOf = fc.tuple(
  fc.array(eventsOf(2 ** 30, 1), { minLength: 1, maxLength: 4 }),
  fc.array(fc.oneof(eventsOf(2 ** 30, 7), eventsOf(2 ** 43, 7)), { minLength: 1, maxLength: 4 }),
);

/** Pairs of an id and its person, who has no other person. */
const pairsOf = fc
  .uniqueArray(fc.constantFrom(...HASHES.slice(0, 20)), { maxLength: 10 })
  .map((ids) => ids.map((id, index) => [id, HASHES[20 + (index % 5)] ?? 0n] as const));

/** Returns the rows of events as a query orders them. */
function rowsOf(events: readonly Event[], hasMarks: boolean) {
  const sorted = events.toSorted((one, other) =>
    one.hash === other.hash ? one.t - other.t : one.hash < other.hash ? -1 : 1,
  );
  return [
    new BigInt64Array(BigUint64Array.from(sorted, ({ hash }) => hash).buffer),
    BigInt64Array.from(sorted, ({ t }) => BigInt(t)),
    ...(hasMarks ? [BigInt64Array.from(sorted, ({ mark }) => BigInt(mark))] : []),
  ];
}

let written = 0;

async function fileOf(events: readonly Event[], hasMarks: boolean) {
  const path = join(folder, String(written++));
  await writeTimeline(path, sectionsOf(rowsOf(events, hasMarks)));
  return openTimeline(path);
}

function joinedOf(pairs: readonly (readonly [bigint, bigint])[]) {
  const ids = new PeopleTable();
  const words = (hash: bigint) => [Number(hash & 0xffff_ffffn), Number(hash >> 32n)] as const;
  for (const [id] of pairs) ids.add(...words(id));
  return { ids, persons: Uint32Array.from(pairs.flatMap(([, person]) => words(person))) };
}

const inOrder = (events: readonly string[]) => events.toSorted();

test('visits the events of each person in files and in memory, with those of joined ids', async () => {
  await fc.assert(
    fc.asyncProperty(listsOf, pairsOf, async (lists, pairs) => {
      const joined = joinedOf(pairs);
      const persons = new Map(pairs);
      const expected = new Map<bigint, string[][]>();
      for (const [list, timelines] of lists.entries()) {
        for (const { hash, t, mark } of timelines.flat()) {
          const person = persons.get(hash) ?? hash;
          const own = expected.get(person) ?? [[], []];
          own[list]?.push(`${t} ${mark}`);
          expected.set(person, own);
        }
      }
      const files = await Promise.all(
        lists.map((timelines, list) => Promise.all(timelines.slice(1).map((one) => fileOf(one, list === 1)))),
      );
      try {
        const all: Timeline[][] = lists.map(([first = []], list) => [
          timelineOf(sectionsOf(rowsOf(first, list === 1))),
          ...(files[list] ?? []),
        ]);
        const added = await gatherEvents(all, joined, 1_000, signal);
        for (const [list, timeline] of (added ?? []).entries()) all[list]?.push(timeline);
        const found: string[][][] = [];
        await eachPersonIn(
          all,
          joined.ids,
          ({ times, marks, ends: [end = 0] }) => {
            const of = (from: number, to?: number) =>
              [...times.slice(from, to)].map((t, index) => `${t} ${marks?.[from + index] ?? 1}`);
            expect([...times.slice(0, end)]).toEqual(
              [...times.slice(0, end)].toSorted((one, other) => one - other),
            );
            expect([...times.slice(end)]).toEqual(
              [...times.slice(end)].toSorted((one, other) => one - other),
            );
            found.push([inOrder(of(0, end)), inOrder(of(end))]);
          },
          signal,
        );
        const sorted = (people: readonly string[][][]) => people.map((own) => JSON.stringify(own)).toSorted();
        expect(sorted(found)).toEqual(sorted([...expected.values()].map((own) => own.map(inOrder))));
      } finally {
        for (const file of files.flat()) await file.close();
      }
    }),
    { numRuns: 200 },
  );
});

test('does not gather more events of joined ids than allowed', async () => {
  const [id = 0n, person = 0n] = HASHES;
  const timeline = timelineOf(
    sectionsOf(
      rowsOf(
        [1, 2, 3].map((t) => ({ hash: id, t, mark: 1 })),
        false,
      ),
    ),
  );
  const joined = joinedOf([[id, person]]);
  expect(await gatherEvents([[timeline]], joined, 2, signal)).toBeUndefined();
  expect(await gatherEvents([[timeline]], joined, 3, signal)).toHaveLength(1);
});

test('finds the people who gained, lost or changed an id', () => {
  fc.assert(
    fc.property(pairsOf, pairsOf, (before, now) => {
      const people = new PeopleTable();
      addChanged(joinedOf(before), joinedOf(now), people);
      const [old, current] = [new Map(before), new Map(now)];
      const changed = [...before, ...now].filter(([id]) => old.get(id) !== current.get(id));
      const found = Array.from(
        { length: people.size },
        (_, number) => BigInt(people.low(number)) + (BigInt(people.high(number)) << 32n),
      );
      expect(new Set(found)).toEqual(new Set(changed.flat()));
    }),
  );
});

test('rejects a file that was cut off', async () => {
  const file = await fileOf([{ hash: HASHES[0] ?? 0n, t: 1, mark: 1 }], false);
  await truncate(join(folder, String(written - 1)), 540);
  await expect(file.read(0, 32)).rejects.toThrow('The file is shorter than its header says.');
  await file.close();
});

test('numbers more people than a table begins with', () => {
  const table = new PeopleTable();
  const people = Array.from({ length: 20_000 }, (_, person) => person);
  // Hashes with the same low bits.
  expect(people.map((person) => table.add((person % 100) * 2 ** 20, person))).toEqual(people);
  expect(people.map((person) => table.find((person % 100) * 2 ** 20, person))).toEqual(people);
  expect([table.find(100, 1), table.size]).toEqual([-1, 20_000]);
});
