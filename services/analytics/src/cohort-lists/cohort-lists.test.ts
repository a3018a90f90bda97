import {
  COHORT_MEMBERS_TOPIC,
  COHORTS_TOPIC,
  type CohortList,
  cohortKey,
  type DidCondition,
  ingestionTopics,
  parseCohortListKey,
} from '@switchboard/contracts';
import { type Database, openDatabase } from '@switchboard/database';
import { readTopic } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createErasure } from '../people/erasure.ts';
import { startAnalytics } from '../testing/service.ts';

const HOUR = 3_600_000;

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

const bought = (times: number): DidCondition => ({
  event: 'bought',
  count: { gte: times },
  within: { days: 30 },
});
const put = (id: string, did: readonly DidCondition[] | undefined, projectId = 'shop') =>
  analytics.publish(COHORTS_TOPIC, [
    { key: cohortKey(projectId, id), value: { projectId, id, match: [], distinctIds: [], did } },
  ]);

/** Publishes a file with an event of each person, and makes the cohort due. */
async function buy(file: string, people: readonly string[], cohort: string, project = 'shop') {
  const events = people.map((person, index) => ({
    id: `${file} ${index}`,
    t: Date.now() - HOUR,
    name: 'bought',
    person,
    session: null,
    properties: { total: 10 },
    context: null,
  }));
  await analytics.archive(project, file, events);
  expect(await compute(cohort, project)).toMatchObject({ status: 202 });
}

const compute = (cohort: string, project = 'shop') =>
  analytics.call('POST', `/management/v1/projects/${project}/cohorts/${cohort}/compute`, {
    permissions: ['service.manage'],
  });

interface Published {
  list: CohortList | null | undefined;
  members: string[];
  parts: Record<string, string[] | null>;
}

/** Returns what the topic has of a cohort. */
async function published(cohort: string, projectId = 'shop'): Promise<Published> {
  const found: Published = { list: undefined, members: [], parts: {} };
  await readTopic(analytics.log, COHORT_MEMBERS_TOPIC, {
    onRecord: ({ key, value }) => {
      const named = parseCohortListKey(String(key));
      if (named?.id !== cohort || named.projectId !== projectId) return;
      const parsed = value && JSON.parse(String(value));
      if (named.prefix === undefined) found.list = parsed;
      else found.parts[named.prefix] = parsed?.members ?? null;
    },
  });
  found.members = Object.values(found.parts).flatMap((part) => part ?? []);
  return found;
}

const eventuallyHas = (cohort: string, members: readonly string[], list: object | null, project = 'shop') =>
  eventually(
    async () => {
      const found = await published(cohort, project);
      expect(found.members).toEqual(members);
      if (list === null) expect(found.list).toBeNull();
      else expect(found.list).toMatchObject(list);
    },
    { withinMs: 45_000 },
  );

it('computes a new cohort, and computes it again when its conditions change and on demand', async () => {
  await analytics.archive('shop', 'first', [
    {
      id: '1',
      t: Date.now() - HOUR,
      name: 'bought',
      person: 'ada',
      session: null,
      properties: {},
      context: null,
    },
  ]);
  await put('buyers', [bought(1)]);
  await eventuallyHas('buyers', ['ada'], { size: 1, computedAt: expect.stringMatching(/Z$/) });
  await put('buyers', [bought(2)]);
  await eventuallyHas('buyers', [], { size: 0 });
  await buy('second', ['ada', 'bob'], 'buyers');
  await eventuallyHas('buyers', ['ada'], { size: 1 });
});

it('uses the list in insights, the cohorts of a person and the list of people', async () => {
  await put('twice', [bought(2)]);
  await eventuallyHas('twice', ['ada'], { size: 1 });
  const report = await analytics.call('POST', '/v1/projects/shop/insights', {
    body: {
      kind: 'trends',
      range: { last: 2, unit: 'day' },
      interval: 'month',
      cohort: 'twice',
      series: [{ event: 'bought', measure: 'people' }],
    },
  });
  expect(report).toMatchObject({
    status: 200,
    body: { report: { series: [{ values: expect.any(Array) }] } },
  });
  const [series] = (report.body as { report: { series: { values: number[] }[] } }).report.series;
  expect(Math.max(...(series?.values ?? []))).toBe(1);
  for (const [person, cohorts] of [
    ['ada', ['buyers', 'twice']],
    ['bob', []],
  ] as const)
    expect(await analytics.call('GET', `/v1/projects/shop/people/${person}`)).toMatchObject({
      body: { cohorts },
    });
  await database.sql`
    insert into seen_people select 'shop', id, now(), now() from unnest(array['ada', 'bob']) as ids(id)
    on conflict do nothing`;
  expect(await analytics.call('GET', '/v1/projects/shop/people?cohort=twice')).toMatchObject({
    status: 200,
    body: { people: [{ distinctId: 'ada' }] },
  });
});

it('counts people who did nothing among those with an identify call', async () => {
  const received = new Date().toISOString();
  const record = {
    project_id: 'blog',
    distinct_id: 'reader',
    traits: {},
    timestamp: received,
    received_at: received,
  };
  await analytics.publish(ingestionTopics.identifies, [{ key: 'blog:reader', value: record }]);
  await eventually(async () => {
    const seen = await database.sql`select 1 from seen_people where project_id = 'blog'`;
    expect(seen).toHaveLength(1);
  });
  await put('idle', [{ ...bought(1), count: { eq: 0 } }], 'blog');
  await eventuallyHas('idle', ['reader'], { size: 1 }, 'blog');
});

it('rejects a computation of an unknown cohort and of one without conditions', async () => {
  await put('listed', undefined);
  for (const cohort of ['unknown', 'listed'])
    expect(await compute(cohort)).toMatchObject({
      status: 404,
      body: { error: { message: 'Cohort not found, or it has no conditions in did.' } },
    });
});

it('keeps the last list when a computation fails, and says why', async () => {
  await put('failing', [{ event: 'viewed', count: { gte: 1 }, within: { days: 30 } }]);
  await analytics.archive('shop', 'viewed', [
    {
      id: 'v',
      t: Date.now() - HOUR,
      name: 'viewed',
      person: 'eve',
      session: null,
      properties: {},
      context: null,
    },
  ]);
  await compute('failing');
  await eventuallyHas('failing', ['eve'], { size: 1 });
  const { list } = await published('failing');
  await analytics.publish('archive-files', [
    {
      key: 'events/2026-03-01/missing.parquet',
      value: {
        key: 'events/2026-03-01/missing.parquet',
        region: 'eu',
        project: 'shop',
        bucket: null,
        buckets: null,
        day: '2026-03-01',
        rows: 1,
        bytes: 10,
        firstOccurredAt: new Date(Date.now() - HOUR).toISOString(),
        lastOccurredAt: new Date().toISOString(),
        eventNames: ['viewed'],
        replaces: [],
        createdAt: new Date().toISOString(),
      },
    },
  ]);
  await compute('failing');
  await eventuallyHas('failing', ['eve'], { ...list, failure: expect.stringMatching(/\w/) });
  await analytics.remove('events/2026-03-01/missing.parquet');
  await compute('failing');
  await eventually(async () => expect((await published('failing')).list).not.toHaveProperty('failure'), {
    withinMs: 45_000,
  });
});

it('removes the list of a deleted cohort, and of one without conditions', async () => {
  for (const end of [
    () => put('ending', undefined),
    () => analytics.publish(COHORTS_TOPIC, [{ key: cohortKey('shop', 'ending'), value: null }]),
  ]) {
    await put('ending', [bought(1)]);
    await eventuallyHas('ending', ['ada', 'bob'], { size: 2 });
    await end();
    await eventuallyHas('ending', [], null);
    expect((await published('ending')).parts).toEqual({ '': null });
  }
});

it('removes an erased person from lists, and the lists of an erased project', async () => {
  await put('erased', [bought(1)], 'blog');
  await buy('blog', ['ada', 'bob'], 'erased', 'blog');
  await eventuallyHas('erased', ['ada', 'bob'], { size: 2 }, 'blog');
  await analytics.remove('events/2026-03-01/blog.parquet');
  const erasure = createErasure(database.drizzle, undefined);
  const { signal } = new AbortController();
  await erasure.erasePerson?.(
    { kind: 'person', projectId: 'blog', distinctIds: ['ada'], userId: null },
    signal,
  );
  const rows =
    await database.sql`select members from cohort_parts where project_id = 'blog' and members ? 'ada'`;
  expect(rows).toHaveLength(0);
  await eventually(async () => expect((await published('erased', 'blog')).members).not.toContain('ada'));
  await erasure.eraseProject?.('blog', signal);
  await eventuallyHas('erased', [], null, 'blog');
  await eventually(async () =>
    expect(await database.sql`select 1 from unpublished_cohort_parts where project_id = 'blog'`).toHaveLength(
      0,
    ),
  );
});
