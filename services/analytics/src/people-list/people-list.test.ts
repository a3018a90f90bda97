import { COHORTS_TOPIC, cohortKey, ingestionTopics, PEOPLE_TOPIC, personKey } from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { useAnalytics } from '../testing/service.ts';

const analytics = await useAnalytics();

interface ListedPerson {
  distinctId: string;
  ids: string[];
  traits: Record<string, unknown>;
  firstSeenAt: string | null;
  lastSeenAt: string | null;
}
interface People {
  people: ListedPerson[];
  nextCursor: string | null;
}

/** The start of a minute of the test's hour. */
const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString();

async function seen(): Promise<void> {
  await eventually(async () => {
    const lags = await analytics.log.lag('analytics.seen', Object.values(ingestionTopics).slice(0, 3));
    if (lags.length < 3 || lags.some(({ behind }) => behind > 0n)) throw new Error('not read yet');
  });
}

async function send(project: string, events: readonly (readonly [person: string, minute: number])[]) {
  const lines = events.map(([person, minute], index) =>
    JSON.stringify({
      distinct_id: person,
      event_id: `${person} ${minute} ${index}`,
      event_name: 'seen',
      schema_version: 1,
      timestamp: at(minute),
      occurred_at: at(minute),
    }),
  );
  const headers = { project, received_at: at(59) };
  const value = Buffer.from(lines.join('\n'));
  await analytics.log.publish(ingestionTopics.events, [{ partition: 0, key: project, value, headers }]);
  await seen();
}

async function identify(
  project: string,
  person: string,
  traits: object,
  minute = 0,
  group?: [string, string],
) {
  const value = {
    project_id: project,
    distinct_id: person,
    traits,
    timestamp: at(minute),
    received_at: at(59),
    ...(group && { group_type: group[0], group_id: group[1] }),
  };
  const topic = group === undefined ? ingestionTopics.identifies : ingestionTopics.groups;
  await analytics.publish(topic, [{ key: project, value }]);
  await seen();
}

async function list(project: string, query: Record<string, string> = {}, status = 200): Promise<People> {
  const answer = await analytics.call('GET', `/v1/projects/${project}/people?${new URLSearchParams(query)}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body as People;
}

const refusal = (message: string) => ({ error: { message } });
const idsOf = ({ people }: People) => people.map(({ distinctId }) => distinctId);
const ids = async (project: string, query: Record<string, string> = {}) => idsOf(await list(project, query));

async function project(id: string): Promise<string> {
  await analytics.directory.putProject({ id, members: ['ada'] });
  return id;
}

describe('the list of people', () => {
  it('has everyone with an event or a call, with the minutes in which they were seen first and last', async () => {
    const shop = await project('list-all');
    await send(shop, [
      ['visitor', 20],
      ['visitor', 5],
      ['ada', 30],
    ]);
    await identify(shop, 'ada', { name: 'Ada', plan: 'pro' }, 10);
    await identify(shop, 'bob', {}, 40, ['company', 'acme']);
    expect(await list(shop)).toEqual({
      people: [
        { distinctId: 'bob', ids: ['bob'], traits: {}, firstSeenAt: at(40), lastSeenAt: at(40) },
        {
          distinctId: 'ada',
          ids: ['ada'],
          traits: { name: 'Ada', plan: 'pro' },
          firstSeenAt: at(10),
          lastSeenAt: at(30),
        },
        { distinctId: 'visitor', ids: ['visitor'], traits: {}, firstSeenAt: at(5), lastSeenAt: at(20) },
      ],
      nextCursor: null,
    });
    expect(await ids(shop, { sort: 'first_seen' })).toEqual(['bob', 'ada', 'visitor']);
    expect(await ids(shop, { seen_since: at(30) })).toEqual(['bob', 'ada']);
    expect(await ids(shop, { seen_before: at(30) })).toEqual(['visitor']);
    expect(await ids('shop')).toEqual([]);
  });

  it('is read page by page, with people of the same minute once each', async () => {
    const shop = await project('list-pages');
    const people = Array.from({ length: 7 }, (_, index) => `user-${index}`);
    await send(
      shop,
      people.map((person, index) => [person, index < 4 ? 1 : 2]),
    );
    for (const sort of ['last_seen', 'first_seen']) {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: People = await list(shop, { sort, limit: '2', ...(cursor === '' ? {} : { cursor }) });
        found.push(...idsOf(page));
        cursor = page.nextCursor;
      }
      expect(found).toEqual(['user-6', 'user-5', 'user-4', 'user-3', 'user-2', 'user-1', 'user-0']);
    }
    expect(await list(shop, { cursor: 'bm8' }, 400)).toMatchObject(
      refusal('cursor: not a nextCursor from this list'),
    );
  });

  it('finds the beginning of an id, a name or an e-mail address, and takes no character for a pattern', async () => {
    const shop = await project('list-search');
    await identify(shop, 'u1', { name: 'Ada Lovelace', email: 'ADA@example.com' }, 1);
    await identify(shop, 'u2', { name: 'adam', email: 'm@example.com' }, 2);
    await identify(shop, 'ad%m', { name: 'Grace' }, 3);
    await identify(shop, 'u4', { name: 'Ürsula', nickname: 'ada' }, 4);
    expect(await ids(shop, { search: 'ada' })).toEqual(['u2', 'u1']);
    expect(await ids(shop, { search: 'ad' })).toEqual(['ad%m', 'u2', 'u1']);
    expect(await ids(shop, { search: 'ada@' })).toEqual(['u1']);
    expect(await ids(shop, { search: 'ad%' })).toEqual(['ad%m']);
    expect(await ids(shop, { search: 'ür' })).toEqual(['u4']);
    expect(await ids(shop, { search: 'u' })).toEqual(['u4', 'u2', 'u1']);
  });

  it('filters by clauses on traits, groups and cohorts, and by a cohort', async () => {
    const shop = await project('list-filter');
    await identify(shop, 'ada', { plan: 'pro', seats: 3 }, 1);
    await identify(shop, 'bob', { plan: 'free' }, 2);
    await identify(shop, 'eve', { tier: 'gold' }, 3, ['company', 'acme']);
    await send(shop, [['visitor', 4]]);
    const cohorts = [
      { id: 'paying', match: [{ attribute: 'plan', op: 'neq', value: 'free' }], distinctIds: [] },
      { id: 'named', match: [], distinctIds: ['bob', 'gone'] },
      { id: 'large', match: [], distinctIds: null },
    ];
    await analytics.publish(
      COHORTS_TOPIC,
      cohorts.map((cohort) => ({ key: cohortKey(shop, cohort.id), value: { projectId: shop, ...cohort } })),
    );
    const where = (...clauses: object[]) => ids(shop, { where: JSON.stringify(clauses) });
    expect(await where({ attribute: 'plan', op: 'eq', value: 'pro' })).toEqual(['ada']);
    expect(await where({ attribute: 'plan', op: 'is_not_set' })).toEqual(['visitor', 'eve']);
    expect(await where({ attribute: 'seats', op: 'gte', value: 3 })).toEqual(['ada']);
    expect(await where({ attribute: 'distinct_id', op: 'contains', value: 'o' })).toEqual(['visitor', 'bob']);
    expect(await where({ attribute: 'group.company.tier', op: 'eq', value: 'gold' })).toEqual(['eve']);
    expect(await where({ attribute: 'x', op: 'in_cohort', value: ['paying', 'named'] })).toEqual([
      'visitor',
      'eve',
      'bob',
      'ada',
    ]);
    expect(await where({ attribute: 'x', op: 'not_in_cohort', value: 'named' })).toHaveLength(3);
    expect(await ids(shop, { cohort: 'named' })).toEqual(['bob']);
    expect(await ids(shop, { cohort: 'paying', search: 'a' })).toEqual(['ada']);
    expect(await list(shop, { cohort: 'none' }, 400)).toMatchObject(
      refusal('cohort: the project has no cohort "none"'),
    );
    expect(await list(shop, { cohort: 'large' }, 400)).toMatchObject(
      refusal('cohort: "large" is too large to list'),
    );
    expect(await list(shop, { where: '{' }, 400)).toMatchObject(
      refusal('where: not JSON; send a list of clauses'),
    );
  });

  it('has a person with several ids once, with the newest traits and the times of all ids', async () => {
    const shop = await project('list-persons');
    await identify(shop, 'visitor', { email: 'old@example.com', city: 'Ulm' }, 1);
    await identify(shop, 'ada', { email: 'ada@example.com' }, 10);
    await send(shop, [
      ['visitor', 2],
      ['phone', 30],
      ['bob', 20],
    ]);
    const join = (distinctId: string, personId: string | null) => ({
      key: personKey(shop, distinctId),
      value: personId && {
        projectId: shop,
        distinctId,
        personId,
        joinedAt: at(40),
        by: { kind: 'identify' },
      },
    });
    await analytics.publish(PEOPLE_TOPIC, [join('visitor', 'ada'), join('phone', 'ada')] as never);
    const ada = {
      distinctId: 'ada',
      ids: ['ada', 'phone', 'visitor'],
      traits: { email: 'ada@example.com', city: 'Ulm' },
      firstSeenAt: at(1),
      lastSeenAt: at(30),
    };
    expect((await list(shop)).people).toMatchObject([ada, { distinctId: 'bob', ids: ['bob'] }]);
    expect((await list(shop, { sort: 'first_seen' })).people).toMatchObject([{ distinctId: 'bob' }, ada]);
    expect(await ids(shop, { seen_before: at(25) })).toEqual(['bob']);
    expect(await ids(shop, { search: 'pho' })).toEqual(['ada']);
    const where = (...clauses: object[]) => ids(shop, { where: JSON.stringify(clauses) });
    expect(await where({ attribute: 'distinct_id', op: 'eq', value: 'phone' })).toEqual(['ada']);
    expect(await where({ attribute: 'distinct_id', op: 'neq', value: 'phone' })).toEqual(['bob']);
    const named = { projectId: shop, id: 'named', match: [], distinctIds: ['visitor'] };
    await analytics.publish(COHORTS_TOPIC, [{ key: cohortKey(shop, 'named'), value: named }]);
    expect(await ids(shop, { cohort: 'named' })).toEqual(['ada']);
    await analytics.publish(PEOPLE_TOPIC, [join('phone', null), join('visitor', null)] as never);
    expect(await ids(shop)).toEqual(['phone', 'bob', 'ada', 'visitor']);
  });
});
