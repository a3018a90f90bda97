import { hash } from 'node:crypto';
import type { DidCondition } from '@switchboard/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fulfilsAll, type TestEvent } from '../testing/reference.ts';
import { enginesForTests, type TestEngine } from '../testing/table.ts';
import { type ComputedList, createCompute } from './compute.ts';
import type { BehaviouralCohort } from './plan.ts';

const NOW = Date.parse('2026-03-31T12:00:00Z');
const DAY = 86_400_000;

const person = fc.constantFrom('ada', 'béa', '猫', 'visitor', 'phone/"1"');
const event = fc.record({
  daysAgo: fc.constantFrom(-1, 0, 0.5, 1, 1.5, 6.9, 7, 7.1, 29, 31, 400),
  name: fc.constantFrom('a', 'a', 'b'),
  person,
  total: fc.constantFrom(1, 5, '5', null),
});
const condition: fc.Arbitrary<DidCondition> = fc.record(
  {
    event: fc.constantFrom('a', 'a', 'b', 'c'),
    where: fc.constantFrom([
      { attribute: 'total', op: 'gte' as const, value: 5 },
      { attribute: 'total', op: 'neq' as const, value: 1 },
    ]),
    count: fc
      .tuple(fc.constantFrom('gte', 'lte', 'eq'), fc.nat(3))
      .map(([operator, times]) => ({ [operator]: times })),
    within: fc.record({ days: fc.constantFrom(1, 7, 30, 365) }),
  },
  { requiredKeys: ['event', 'count', 'within'] },
);
const scene = fc.record({
  events: fc.array(event, { maxLength: 25 }),
  identified: fc.array(person, { maxLength: 2 }),
  isJoined: fc.boolean(),
  cohorts: fc.array(
    fc.record({
      did: fc.array(condition, { minLength: 1, maxLength: 3 }),
      combine: fc.constantFrom('all' as const, 'any' as const),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

/** The members of a cohort, as slowly and simply as possible. */
function referenceOf(
  { did, combine }: Omit<BehaviouralCohort, 'id'>,
  events: readonly TestEvent[],
  known: readonly string[],
  personOf: (id: string) => string,
): string[] {
  const isFulfilled = (who: string, { event: name, where, count, within: { days } }: DidCondition) => {
    const times = events.filter(
      (one) =>
        personOf(one.person) === who &&
        one.name === name &&
        one.t >= NOW - days * DAY &&
        one.t < NOW &&
        fulfilsAll(one, where),
    ).length;
    const { gte = 0, lte = Number.POSITIVE_INFINITY, eq = times } = count;
    return times >= gte && times <= lte && times === eq;
  };
  const people = [...new Set([...known, ...events.map((one) => one.person)].map(personOf))];
  return people.filter((who) =>
    combine === 'all' ? did.every((one) => isFulfilled(who, one)) : did.some((one) => isFulfilled(who, one)),
  );
}

describe.each(await enginesForTests())('$name', ({ name, isMissing, start }) => {
  let started: TestEngine;
  beforeAll(async () => {
    if (!isMissing) started = await start();
  });
  afterAll(() => started?.stop());
  const it = test.skipIf(isMissing);

  /** Computes cohorts of the loaded events. Returns the members of each. */
  async function computed(
    cohorts: readonly BehaviouralCohort[],
    known: readonly string[],
    createFacts: TestEngine['engine']['createFacts'] = started.engine.createFacts,
  ) {
    const { engine, sourceOf } = started;
    const compute = createCompute({
      queue: {
        deadline: () => new AbortController().signal,
        find: async () => ({ version: '', read: () => Promise.reject(new Error('not read here')) }),
        run: (_, __, work) =>
          work({ ...sourceOf(0), dialect: engine.dialect }, engine.query, engine.eachPerson),
      },
      engine: { ...engine, createFacts },
      knownIds: async (_, after) => (after === '' ? [...known] : []),
      clock: { now: () => new Date(NOW) },
    });
    const lists = new Map<string, ComputedList>();
    await compute.lists(
      'p0',
      cohorts,
      async (id, result) => {
        if ('error' in result) throw result.error;
        lists.set(id, result);
      },
      new AbortController().signal,
    );
    return {
      lists,
      sizeOf: (cohort: BehaviouralCohort) => compute.sizeOf('p0', cohort, new AbortController().signal),
    };
  }

  const membersOf = (list: ComputedList | undefined): string[] =>
    [...(list?.parts.values() ?? [])].flatMap((members) => JSON.parse(members));

  it('derives the members of many cohorts with two conditions by one query, the same ones once', async () => {
    const day = (daysAgo: number, name: string, person: string, id: string) => ({
      ...{ id, t: NOW - daysAgo * DAY, name, person, session: null, properties: {}, context: null },
    });
    const events = [day(1, 'a', 'ada', '1'), day(2, 'b', 'ada', '2'), day(3, 'a', 'bob', '3')];
    await started.load([{ events, people: {}, personIds: {} }]);
    const did = (within: number) => [
      { event: 'a', count: { gte: 1 }, within: { days: within } },
      { event: 'b', count: { gte: 1 }, within: { days: within } },
    ];
    const cohorts = Array.from({ length: 100 }, (_, index) => ({
      id: `c${index}`,
      did: did(5 + (index % 10)),
      combine: index < 50 ? ('all' as const) : ('any' as const),
    }));
    const { createFacts } = started.engine;
    let added = 0;
    const { lists } = await computed(cohorts, [], async (signal) => {
      const facts = await createFacts(signal);
      const add: typeof facts.add = (rows, within) => {
        added++;
        return facts.add(rows, within);
      };
      return { ...facts, add };
    });
    expect(membersOf(lists.get('c7'))).toEqual(['ada']);
    expect(membersOf(lists.get('c77')).sort()).toEqual(['ada', 'bob']);
    // Two scans, and one query of the members.
    expect(added).toBe(3);
  });

  it('computes many lists of one event', async () => {
    const counts = Array.from({ length: 55 }, (_, index) => index + 1);
    const events = counts.flatMap((count) =>
      Array.from({ length: count }, (_, index) => ({
        id: `${count}-${index}`,
        t: NOW - DAY,
        name: 'a',
        person: `sent ${count}`,
        session: null,
        properties: {},
        context: null,
      })),
    );
    await started.load([{ events, people: {}, personIds: {} }]);
    const cohorts = counts.flatMap((count) =>
      (['gte', 'eq'] as const).map((operator) => ({
        id: `${operator} ${count}`,
        did: [{ event: 'a', count: { [operator]: count }, within: { days: 7 } }],
        combine: 'all' as const,
      })),
    );
    const { lists } = await computed(cohorts, []);
    for (const count of counts) {
      expect(membersOf(lists.get(`eq ${count}`))).toEqual([`sent ${count}`]);
      expect(lists.get(`gte ${count}`)?.size).toBe(counts.length - count + 1);
    }
  });

  it('computes the same members as the reference', async () => {
    await fc.assert(
      fc.asyncProperty(scene, async ({ events: sent, identified, isJoined, cohorts }) => {
        const events = sent.map(({ daysAgo, name, person: who, total }, index) => ({
          id: String(index),
          t: NOW - daysAgo * DAY,
          name,
          person: who,
          session: null,
          properties: { total },
          context: null,
        }));
        const personIds: Record<string, string> = isJoined ? { visitor: 'ada' } : {};
        await started.load([{ events, people: {}, personIds }]);
        const known = [...new Set([...identified, ...events.map((one) => one.person)])];
        const named = cohorts.map((cohort, index) => ({ id: `c${index}`, ...cohort }));
        const { lists, sizeOf } = await computed(named, known);
        for (const cohort of named) {
          const list = lists.get(cohort.id);
          const expected = referenceOf(cohort, events, known, (id) => personIds[id] ?? id);
          expect(membersOf(list).sort()).toEqual(expected.sort());
          expect(list?.size).toBe(expected.length);
        }
        const [first] = named;
        if (first !== undefined) expect(await sizeOf(first)).toBe(lists.get(first.id)?.size);
      }),
      { numRuns: name === 'DuckDB' ? 60 : 12 },
    );
  });

  it('divides a large list by the MD5 of its members, sorted within each part', async () => {
    const people = Array.from({ length: 30_000 }, (_, index) => `person ${index} of many`);
    await started.load([{ events: [], people: {}, personIds: {} }]);
    const did = [{ event: 'a', count: { eq: 0 }, within: { days: 7 } }];
    const { lists } = await computed([{ id: 'many', did, combine: 'all' }], people);
    const list = lists.get('many');
    expect(list?.size).toBe(people.length);
    expect([...(list?.parts.keys() ?? [])].sort()).toEqual([...'0123456789abcdef']);
    for (const [prefix, members] of list?.parts ?? []) {
      const parsed: string[] = JSON.parse(members);
      expect(parsed.every((member) => hash('md5', member, 'hex').startsWith(prefix))).toBe(true);
      expect(parsed).toEqual([...parsed].sort());
    }
    expect(membersOf(list).sort()).toEqual([...people].sort());
  });
});
