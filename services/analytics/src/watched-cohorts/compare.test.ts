import type { Clause } from '@switchboard/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createListedMembers } from '../cohort-lists/listed-members.ts';
import type { CohortOnFile } from '../people/store.ts';
import { useDatabase } from '../testing/database.ts';
import { enginesForTests, type TestEngine } from '../testing/table.ts';
import { createWatchedPeopleStore } from '../watched-people/store.ts';
import { createCompare } from './compare.ts';

const { signal } = new AbortController();
const LATER = new Date('2126-01-01T00:00:00Z');

const { database } = await useDatabase();
const store = createWatchedPeopleStore(database.drizzle);
beforeEach(() => database.sql`truncate watched_cohorts, watched_people, unpublished_cohort_changes`);

const isPro: Clause = { attribute: 'plan', op: 'eq', value: 'pro' };

interface People {
  /** The plan of each known person. */
  plans: Record<string, string>;
  /** The person of each further id. */
  personIds?: Record<string, string>;
  /** Members of the computed list. */
  listed?: readonly string[];
  cohort?: Partial<CohortOnFile> | undefined;
  maxMembers?: number;
}

describe.each(await enginesForTests())('$name', ({ isMissing, start }) => {
  let started: TestEngine;
  beforeAll(async () => {
    if (!isMissing) started = await start();
  });
  afterAll(() => started?.stop());
  const it = test.skipIf(isMissing);

  /** Compares the cohort `vip` with its stored members. Returns who entered and left since the last call. */
  async function compared({ plans, personIds = {}, listed = [], cohort, maxMembers }: People) {
    const { engine, sourceOf } = started;
    const known = { id: 'vip', match: [isPro], distinctIds: [], isTooLarge: false };
    const people = Object.fromEntries(
      Object.entries(plans).map(([id, plan]) => [id, { traits: { plan }, groups: {} }]),
    );
    await started.load([{ events: [], people, personIds }]);
    const compare = createCompare({
      queue: {
        find: async () => ({ version: '', read: () => Promise.reject(new Error('not read here')) }),
        run: (_, __, work) =>
          work({ ...sourceOf(0), dialect: engine.dialect }, engine.query, engine.eachPerson),
      },
      engine,
      store: { cohorts: async () => (cohort === undefined ? [] : [{ ...known, ...cohort }]) },
      listed: createListedMembers({
        store: {
          members: async (_, after) =>
            after === undefined ? { prefix: '', people: [...listed] } : undefined,
        },
        engine,
      }),
      knownIds: async (_, after) =>
        after === '' ? [...Object.keys(plans), ...Object.keys(personIds)].toSorted() : [],
      storedPeople: store.people,
      ...(maxMembers !== undefined && { maxMembers }),
    });
    await store.watch('p0', ['vip'], signal);
    await database.sql`update watched_cohorts set due_at = 'epoch', claimed_until = null`;
    const at = new Date();
    const [watch] = await store.claim(at, LATER, '');
    if (watch === undefined) throw new Error('not claimed');
    await compare(
      'p0',
      ['vip'],
      async (_, result) => {
        if ('error' in result) throw result.error;
        await store.apply(watch, { at, ...result }, LATER);
      },
      signal,
    );
    return changes();
  }

  async function changes() {
    const rows = await database.sql`delete from unpublished_cohort_changes returning record`;
    const records = rows.map(({ record }) => record);
    return {
      entered: records.flatMap(({ entered }) => entered).toSorted(),
      left: records.flatMap(({ left }) => left).toSorted(),
      members: records.at(-1)?.members,
    };
  }

  const vip = { cohort: {} };
  const nobody = { entered: [], left: [] };

  it('tells of those who enter and leave after the first comparison, each once', async () => {
    const before = { ada: 'pro', bob: 'free', 'phone/"1"': 'free', 猫: 'pro' };
    expect(await compared({ ...vip, plans: before })).toEqual({ ...nobody, members: 2 });
    const after = { ada: 'free', bob: 'pro', 'phone/"1"': 'pro', 猫: 'pro' };
    const entered = ['bob', 'phone/"1"'];
    expect(await compared({ ...vip, plans: after })).toEqual({ entered, left: ['ada'], members: 3 });
    expect(await compared({ ...vip, plans: after })).toEqual({ ...nobody, members: 3 });
  });

  it('counts listed ids as members, by the person of the id, also if nothing else is known of them', async () => {
    const plans = { ada: 'free' };
    await compared({ ...vip, plans });
    const cohort = { distinctIds: ['visitor', 'unseen'] };
    expect(await compared({ plans, personIds: { visitor: 'ada' }, cohort })).toEqual({
      ...{ entered: ['ada', 'unseen'], left: [], members: 2 },
    });
  });

  it('tells nothing of ids that become one person while the person stays a member', async () => {
    await compared({ ...vip, plans: { ada: 'free', visitor: 'pro' } });
    const joined = { plans: { ada: 'pro' }, personIds: { visitor: 'ada' } };
    expect(await compared({ ...vip, ...joined })).toEqual({ ...nobody, members: 1 });
    expect(await compared({ ...vip, ...joined, plans: { ada: 'free' } })).toMatchObject({ left: ['ada'] });
  });

  it('tells that a person left by the id of the person, if another id was the member', async () => {
    await compared({ ...vip, plans: { visitor: 'pro' } });
    const joined = { plans: { ada: 'free' }, personIds: { visitor: 'ada' } };
    expect(await compared({ ...vip, ...joined })).toEqual({ entered: [], left: ['ada'], members: 0 });
    expect(await compared({ ...vip, ...joined })).toEqual({ ...nobody, members: 0 });
  });

  it('reads a computed list by the person of each id', async () => {
    const cohort = { match: [], did: 'all' as const, computedAt: '2026-03-01T00:00:00Z' };
    const plans = { ada: 'free', visitor: 'free' };
    expect(await compared({ plans, cohort, listed: ['visitor'] })).toEqual({ ...nobody, members: 1 });
    const joined = { plans: { ada: 'free' }, personIds: { visitor: 'ada' } };
    expect(await compared({ ...joined, cohort, listed: ['visitor'] })).toEqual({ ...nobody, members: 1 });
    expect(await compared({ ...joined, cohort, listed: [] })).toMatchObject({ left: ['ada'] });
  });

  it('compares many people in parts', async () => {
    const plansOf = (plan: string) =>
      Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`person-${index}`, plan]));
    await compared({ ...vip, plans: { ada: 'pro' } });
    const first = await compared({ ...vip, plans: plansOf('pro') });
    expect([first.entered.length, first.left, first.members]).toEqual([30_000, ['ada'], 30_000]);
    const more = { ...plansOf('pro'), 'person-7': 'free', bob: 'pro' };
    expect(await compared({ ...vip, plans: more })).toEqual({
      ...{ entered: ['bob'], left: ['person-7'], members: 30_000 },
    });
  });

  it('refuses a cohort that does not exist, is too large or has no list yet, and keeps the stored members', async () => {
    const plans = { ada: 'pro', bob: 'pro' };
    await compared({ ...vip, plans });
    await expect(compared({ plans: {} })).rejects.toThrow('The project has no cohort with this id.');
    await expect(compared({ plans: {}, cohort: { isTooLarge: true } })).rejects.toThrow('too large');
    await expect(compared({ plans: {}, cohort: { did: 'all' } })).rejects.toThrow('not computed yet');
    await expect(compared({ ...vip, plans, maxMembers: 1 })).rejects.toThrow('more than 1 members');
    expect(await changes()).toMatchObject(nobody);
    expect(await compared({ ...vip, plans })).toEqual({ ...nobody, members: 2 });
  });
});
