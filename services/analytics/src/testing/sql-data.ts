import { ingestionTopics, PEOPLE_TOPIC, personKey } from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { expect } from 'vitest';
import type { TestEvent } from './reference.ts';
import type { startAnalytics } from './service.ts';

/** For tests: the data of SQL queries, in the log and in files, and calls that query it. */

type Analytics = Awaited<ReturnType<typeof startAnalytics>>;

const HOUR_MS = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;

const event = (id: string, more: Partial<TestEvent> = {}): TestEvent => ({
  id,
  t: NOW - 2 * HOUR_MS,
  name: 'order placed',
  person: 'ada',
  session: 's1',
  properties: { total: 10, plan: 'pro' },
  context: { sdk: 'browser' },
  ...more,
});

const EVENTS: Record<string, TestEvent[]> = {
  shop: [
    event('1', { person: 'visitor', name: 'page viewed', t: NOW - 3 * HOUR_MS, properties: { path: '/a' } }),
    event('2', { person: 'visitor', properties: { total: 10.5, plan: 'free', tags: ['a', 'b'] } }),
    event('3', { session: 's2', t: NOW - HOUR_MS }),
    event('4', { session: null, isBot: true, properties: null }),
    event('old', { t: NOW - 24 * 40 * HOUR_MS }),
  ],
  blog: [
    event('secret', { person: 'mallory@example.com', name: 'mallory', properties: { total: 'mallory' } }),
    event('9', { person: '5', session: 'mallory' }),
  ],
};

/** Stores the same events, people and groups of two projects in the log and in files. */
export async function storeSqlData(analytics: Analytics): Promise<void> {
  for (const [project, events] of Object.entries(EVENTS)) {
    await analytics.archive(project, `sql-of-${project}`, events);
    for (const sent of events) await publishEvent(analytics, project, sent);
    await call(analytics, project, 'ada', { plan: 'pro', email: `ada@${project}` });
    await call(analytics, project, 'visitor', { city: 'Ulm' });
    await call(analytics, project, 'ada', { tier: 'gold' }, ['company', `acme of ${project}`]);
  }
  const joined = { projectId: 'shop', distinctId: 'visitor', personId: 'ada', by: { kind: 'identify' } };
  const value = { ...joined, joinedAt: new Date().toISOString() };
  await analytics.publish(PEOPLE_TOPIC, [{ key: personKey('shop', 'visitor'), value }]);
  const topics = Object.values(ingestionTopics).slice(0, 3);
  await eventually(async () => {
    const lags = await analytics.log.lag('analytics.seen', topics);
    if (lags.length < 3 || lags.some(({ behind }) => behind > 0n)) throw new Error('not read yet');
    const { body } = await analytics.call('GET', '/v1/projects/shop/groups');
    expect(body).toMatchObject({ groups: [{ id: 'acme of shop', members: 1 }] });
  });
}

export async function publishEvent({ log }: Analytics, project: string, sent: TestEvent): Promise<void> {
  const at = new Date(sent.t).toISOString();
  const line = {
    event_id: sent.id,
    event_name: sent.name,
    distinct_id: sent.person,
    ...(sent.session === null ? {} : { session_id: sent.session }),
    schema_version: 1,
    timestamp: at,
    occurred_at: at,
    ...(sent.properties === null ? {} : { properties: sent.properties }),
    ...(sent.context === null ? {} : { context: sent.context }),
  };
  const headers = { project, received_at: at, ...(sent.isBot === true ? { bot: 'true' } : {}) };
  const value = Buffer.from(JSON.stringify(line));
  await log.publish(ingestionTopics.events, [{ partition: 0, key: project, value, headers }]);
}

async function call(
  analytics: Analytics,
  project: string,
  person: string,
  traits: object,
  group?: [type: string, id: string],
): Promise<void> {
  const at = new Date(NOW).toISOString();
  const [group_type, group_id] = group ?? [];
  const value = {
    project_id: project,
    distinct_id: person,
    traits,
    timestamp: at,
    received_at: at,
    ...(group === undefined ? {} : { group_type, group_id }),
  };
  const topic = group === undefined ? ingestionTopics.identifies : ingestionTopics.groups;
  await analytics.publish(topic, [{ key: project, value }]);
}

export interface SqlAnswer {
  dialect: string;
  columns: { name: string; type: string }[];
  rows: unknown[][];
  truncated: boolean;
  error: { message: string };
}

/** Returns calls that query a project. */
export function sqlCalls(analytics: () => Analytics) {
  async function run(query: string, more: object = {}, status = 200, project = 'shop'): Promise<SqlAnswer> {
    const answer = await analytics().call('POST', `/v1/projects/${project}/insights/sql`, {
      body: { query, ...more },
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    return answer.body as SqlAnswer;
  }
  return {
    run,
    rowsOf: async (query: string, more: object = {}) => (await run(query, more)).rows,
    refusal: async (query: string, more: object = {}) => (await run(query, more, 400)).error.message,
  };
}
