import { ingestionTopics, PEOPLE_TOPIC, personKey } from '@switchboard/contracts';
import { type Database, openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createErasure } from '../people/erasure.ts';
import { startAnalytics } from '../testing/service.ts';

let analytics: Awaited<ReturnType<typeof startAnalytics>>;
let database: Database;
beforeAll(async () => {
  analytics = await startAnalytics();
  database = openDatabase({ url: analytics.databaseUrl, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
  await analytics.stop();
});

interface ListedGroup {
  type: string;
  id: string;
  traits: Record<string, unknown>;
  members: number;
  firstSeenAt: string | null;
  lastSeenAt: string | null;
}
interface Groups {
  groups: ListedGroup[];
  nextCursor: string | null;
}
interface Group extends ListedGroup {
  people: { distinctId: string; ids: string[]; traits: object }[];
  nextCursor: string | null;
}

/** The start of a minute of the test's hour. */
const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString();

interface GroupCall {
  person: string;
  type?: string;
  id: string | null;
  traits?: object;
  minute?: number;
}

/** Sends group calls, and waits until the members are counted. */
async function group(project: string, ...calls: GroupCall[]): Promise<void> {
  const values = calls.map(({ person, type = 'company', id, traits = {}, minute = 0 }) => ({
    project_id: project,
    distinct_id: person,
    traits,
    timestamp: at(minute),
    received_at: at(59),
    group_type: type,
    group_id: id,
  }));
  await analytics.publish(
    ingestionTopics.groups,
    values.map((value) => ({ key: project, value })),
  );
  await counted();
}

/** Joins ids to a person, or parts them, and waits until the members are counted. */
async function join(project: string, ids: readonly string[], personId: string | null): Promise<void> {
  const by = { kind: 'identify' };
  await analytics.publish(
    PEOPLE_TOPIC,
    ids.map((distinctId) => ({
      key: personKey(project, distinctId),
      value: personId && { projectId: project, distinctId, personId, joinedAt: at(40), by },
    })) as never,
  );
  await counted();
}

const CONSUMERS = [
  ['analytics.people', [ingestionTopics.identifies, ingestionTopics.groups]],
  ['analytics.seen', [ingestionTopics.identifies, ingestionTopics.groups]],
  ['analytics.person-ids', [PEOPLE_TOPIC]],
] as const;

async function counted(): Promise<void> {
  await eventually(async () => {
    for (const [consumer, topics] of CONSUMERS) {
      const lags = await analytics.log.lag(consumer, [...topics]);
      if (lags.some(({ behind }) => behind > 0n)) throw new Error('not read yet');
    }
    const [row] = await database.sql`select count(*)::int as waiting from uncounted_ids`;
    if (row?.['waiting'] !== 0) throw new Error('not counted yet');
  });
}

async function read<T>(path: string, status = 200): Promise<T> {
  const answer = await analytics.call('GET', `/v1/projects/${path}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body as T;
}
const list = (project: string, query: Record<string, string> = {}, status = 200) =>
  read<Groups>(`${project}/groups?${new URLSearchParams(query)}`, status);
const find = (project: string, type: string, id: string, query: Record<string, string> = {}) =>
  read<Group>(`${project}/groups/${type}/${id}?${new URLSearchParams(query)}`);
const ids = async (project: string, query: Record<string, string> = {}) =>
  (await list(project, query)).groups.map(({ id }) => id);
const peopleIn = async (project: string, type: string, id: string) =>
  (await find(project, type, id)).people.map(({ distinctId }) => distinctId);

async function project(id: string): Promise<string> {
  await analytics.directory.putProject({ id, members: ['ada'] });
  return id;
}

describe('the list of groups', () => {
  it('has every group of the project with its traits, members and times', async () => {
    const shop = await project('groups-all');
    await group(
      shop,
      { person: 'ada', id: 'acme', traits: { name: 'Acme', seats: 3 }, minute: 10 },
      { person: 'bob', id: 'acme', minute: 5 },
      { person: 'bob', id: 'north', type: 'region', minute: 30 },
    );
    expect(await list(shop)).toEqual({
      groups: [
        { type: 'region', id: 'north', traits: {}, members: 1, firstSeenAt: at(30), lastSeenAt: at(30) },
        {
          type: 'company',
          id: 'acme',
          traits: { name: 'Acme', seats: 3 },
          members: 2,
          firstSeenAt: at(5),
          lastSeenAt: at(10),
        },
      ],
      nextCursor: null,
    });
    expect(await ids(shop, { sort: 'members' })).toEqual(['acme', 'north']);
    expect(await ids(shop, { type: 'company' })).toEqual(['acme']);
    expect(await ids('shop')).toEqual([]);
  });

  it('is read page by page in both orders, with equal groups once each', async () => {
    const shop = await project('groups-pages');
    const names = Array.from({ length: 7 }, (_, index) => `group-${index}`);
    await group(shop, ...names.map((id, index) => ({ person: id, id, minute: index < 4 ? 1 : 2 })));
    for (const sort of ['last_seen', 'members']) {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Groups = await list(shop, { sort, limit: '2', ...(cursor === '' ? {} : { cursor }) });
        found.push(...page.groups.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect(found).toEqual(names.toReversed());
    }
    expect(await list(shop, { cursor: 'bm8' }, 400)).toMatchObject({
      error: { message: 'cursor: not a nextCursor from this list' },
    });
  });

  it('finds the beginning of an id or a name, and takes no character for a pattern', async () => {
    const shop = await project('groups-search');
    await group(
      shop,
      { person: 'a', id: 'c1', traits: { name: 'Acme' }, minute: 1 },
      { person: 'a', id: 'ac%e', type: 'region', minute: 2 },
      { person: 'b', id: 'acre', traits: { nickname: 'c1' }, minute: 3 },
    );
    expect(await ids(shop, { search: 'ac' })).toEqual(['acre', 'ac%e', 'c1']);
    expect(await ids(shop, { search: 'ac%' })).toEqual(['ac%e']);
    expect(await ids(shop, { search: 'ACM' })).toEqual(['c1']);
    expect(await ids(shop, { search: 'ac', type: 'region' })).toEqual(['ac%e']);
    expect(await ids(shop, { search: 'x' })).toEqual([]);
  });
});

describe('a group', () => {
  it('has the people of the newest calls, and not those who moved on or left', async () => {
    const shop = await project('group-moves');
    await group(
      shop,
      { person: 'ada', id: 'acme', minute: 1 },
      { person: 'bob', id: 'acme', minute: 1 },
      { person: 'eve', id: 'acme', minute: 1 },
    );
    await group(
      shop,
      { person: 'ada', id: 'globex', minute: 2 },
      { person: 'bob', id: null, minute: 2 },
      // Arrives late.
      { person: 'eve', id: 'globex', minute: 0 },
    );
    expect(await find(shop, 'company', 'acme')).toMatchObject({
      members: 1,
      people: [{ distinctId: 'eve', ids: ['eve'] }],
      lastSeenAt: at(1),
    });
    expect(await find(shop, 'company', 'globex')).toMatchObject({ members: 1, firstSeenAt: at(0) });
    expect(await peopleIn(shop, 'company', 'globex')).toEqual(['ada']);
  });

  it('has its members in pages, and none if no call named it', async () => {
    const shop = await project('group-pages');
    const people = Array.from({ length: 5 }, (_, index) => `user-${index}`);
    await group(shop, ...people.map((person) => ({ person, id: 'acme' })));
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: Record<string, string> = { limit: '2', ...(cursor === '' ? {} : { cursor }) };
      const page: Group = await find(shop, 'company', 'acme', query);
      expect(page.members).toBe(5);
      found.push(...page.people.map(({ distinctId }) => distinctId));
      cursor = page.nextCursor;
    }
    expect(found).toEqual(people);
    expect(await find(shop, 'company', 'none')).toEqual({
      ...{ type: 'company', id: 'none', traits: {}, members: 0, firstSeenAt: null, lastSeenAt: null },
      ...{ people: [], nextCursor: null },
    });
  });

  it('counts a person with several ids once, in the group of the newest call of all ids, and again apart', async () => {
    const shop = await project('group-joins');
    await group(
      shop,
      { person: 'visitor', id: 'acme', minute: 1 },
      { person: 'phone', id: 'acme', minute: 3 },
      { person: 'ada', id: 'globex', minute: 2 },
    );
    await join(shop, ['visitor', 'phone'], 'ada');
    expect(await find(shop, 'company', 'acme')).toMatchObject({
      members: 1,
      people: [{ distinctId: 'ada', ids: ['ada', 'phone', 'visitor'] }],
    });
    expect(await find(shop, 'company', 'globex')).toMatchObject({ members: 0, people: [] });
    await join(shop, ['phone'], null);
    expect(await peopleIn(shop, 'company', 'acme')).toEqual(['phone']);
    expect(await peopleIn(shop, 'company', 'globex')).toEqual(['ada']);
    await join(shop, ['visitor'], null);
    expect(await peopleIn(shop, 'company', 'acme')).toEqual(['phone', 'visitor']);
  });

  it('loses an erased person, and is gone with its project', async () => {
    const shop = await project('group-erased');
    await group(shop, { person: 'ada', id: 'acme' }, { person: 'bob', id: 'acme' });
    const erasure = createErasure(database.drizzle, undefined);
    await erasure.erasePerson?.(
      { kind: 'person', projectId: shop, distinctIds: ['ada'], userId: null },
      AbortSignal.timeout(60_000),
    );
    expect(await peopleIn(shop, 'company', 'acme')).toEqual(['bob']);
    expect(await find(shop, 'company', 'acme')).toMatchObject({ members: 1 });
    await erasure.eraseProject?.(shop, AbortSignal.timeout(60_000));
    await counted();
    expect(await list(shop)).toMatchObject({ groups: [] });
  });

  it('has the members that the groups of all people name, after many calls, joins and parts', async () => {
    const shop = await project('group-random');
    // A fixed sequence of numbers.
    let state = 7;
    const below = (count: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % count;
    };
    const everyone = Array.from({ length: 12 }, (_, index) => `user-${index}`);
    const root = (index: number) => everyone[index % 3] ?? '';
    for (let round = 0; round < 8; round++) {
      const calls = Array.from({ length: 15 }, () => ({
        person: everyone[below(12)] ?? '',
        type: ['company', 'region'][below(2)] ?? '',
        id: [null, 'a', 'b', 'c'][below(4)] ?? null,
        minute: below(50),
      }));
      await group(shop, ...calls);
      const moved = 3 + below(9);
      await join(shop, [everyone[moved] ?? ''], below(3) === 0 ? null : root(below(3)));
    }
    const persons = await read<{ people: { distinctId: string }[] }>(`${shop}/people`);
    const expected: string[] = [];
    for (const { distinctId } of persons.people) {
      const { groups } = await read<{ groups: { type: string; id: string }[] }>(
        `${shop}/people/${distinctId}`,
      );
      expected.push(...groups.map(({ type, id }) => `${type} ${id} ${distinctId}`));
    }
    const found: string[] = [];
    for (const { type, id, members } of (await list(shop)).groups) {
      const people = await peopleIn(shop, type, id);
      expect(members, `${type} ${id}`).toBe(people.length);
      found.push(...people.map((person) => `${type} ${id} ${person}`));
    }
    expect(found.toSorted()).toEqual(expected.toSorted());
    expect(expected.length).toBeGreaterThan(3);
  });
});
