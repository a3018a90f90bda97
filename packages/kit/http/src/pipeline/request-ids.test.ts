import { setTimeout as sleep } from 'node:timers/promises';
import {
  commonSettings,
  createLogger,
  createMetrics,
  eventLogSettings,
  inScope,
  openWholeLog,
  parseConfig,
} from '@switchboard/runtime';
import { eventually, postgresServer, type TestDatabase, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { KEY, startTestApp, type TestApp } from '../testing/test-app.ts';

type Line = Record<string, unknown> & { msg: string };

const lines: Line[] = [];
const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
const logger = createLogger({ service: 'flags', level: 'debug', destination });
const metrics = createMetrics('flags');
const settings = z.object({ MAX_BYTES_IN_FLIGHT: commonSettings.MAX_BYTES_IN_FLIGHT, ...eventLogSettings });

let database: TestDatabase;
let log: ReturnType<typeof openWholeLog>;
let app: TestApp;
beforeAll(async () => {
  database = await testDatabase();
  const config = parseConfig(settings, { EVENT_LOG_DATABASE_URL: database.url });
  log = openWholeLog({ config, logger, metrics }, 'test');
  await log.createTopics([{ name: 't', partitions: 1, replication: 1, cleanup: 'delete' }]);
  app = await startTestApp({}, { logger });
  app.app.hono.get('/publish/:value', async (c) => {
    await sleep(1);
    logger.info('before');
    await log.publish('t', [record(c.req.param('value'))]);
    setImmediate(() => logger.info('after'));
    return c.body(null, 204);
  });
});
afterAll(async () => {
  await app.stop();
  await log.close();
  await database.drop();
});
beforeEach(() => {
  lines.length = 0;
});

const record = (value: string) => ({
  partition: 0,
  key: null,
  value: Buffer.from(value),
  headers: { own: 'x' },
});
const publish = (value: string, id: string) =>
  fetch(`${app.url}/publish/${value}`, { headers: { 'X-Request-Id': id } });
const linesOf = (msg: string | RegExp) =>
  lines.filter((line) => (typeof msg === 'string' ? line.msg === msg : msg.test(line.msg)));

it('every log line of a request has its id, even with concurrent requests', async () => {
  await Promise.all(['one', 'two', 'three'].map((id) => publish(id, id)));
  await eventually(async () => expect(linesOf('after')).toHaveLength(3));
  for (const msg of ['before', 'after', 'request']) {
    expect(
      linesOf(msg)
        .map(({ requestId }) => requestId)
        .toSorted(),
    ).toEqual(['one', 'three', 'two']);
  }
  expect(lines.filter(({ requestId }) => requestId === undefined)).toEqual([]);
});

it('a defect and its response have the id once', async () => {
  const headers = { Authorization: `Bearer ${KEY}`, 'X-Request-Id': 'broken' };
  await fetch(`${app.url}/files/defect`, { method: 'POST', headers });
  expect(lines.map(({ msg, requestId }) => [msg, requestId])).toEqual([
    ['request failed', 'broken'],
    ['request', 'broken'],
  ]);
});

it('a record has the id of its request beside its own headers, and none without a request', async () => {
  await publish('named', 'the-request');
  await log.publish('t', [record('unnamed')]);
  const seen = new Map<string, unknown>();
  const consumption = await log.consume({
    group: 'headers',
    topics: ['t'],
    async handle({ records }) {
      for (const { value, headers } of records) seen.set(String(value), headers);
    },
  });
  await eventually(async () => expect(seen.size).toBeGreaterThan(1));
  await consumption.stop();
  expect(seen.get('named')).toEqual({ own: 'x', request_id: 'the-request' });
  expect(seen.get('unnamed')).toEqual({ own: 'x' });
});

it('log lines about an unreadable record have the id of the request that published it', async () => {
  await log.createTopics([{ name: 'bad', partitions: 1, replication: 1, cleanup: 'delete' }]);
  const scoped = (id: string, value: string) =>
    inScope({ requestId: id }, () => log.publish('bad', [record(value)]));
  await Promise.all([scoped('first', 'good'), scoped('second', 'unreadable'), scoped('third', 'good')]);
  let failures = 0;
  const consumption = await log.consume({
    group: 'readers',
    topics: ['bad'],
    async handle(batch) {
      for (const one of batch.records) {
        if (String(one.value) === 'unreadable') await batch.deadLetter(one, 'no good');
      }
      // The form of Drizzle's errors, which contain the parameters of the query.
      if (failures++ === 0) throw new Error('Failed query: select $1\nparams: ada@example.com');
    },
  });
  await eventually(async () => expect(linesOf(/handler succeeded after/)).toHaveLength(1));
  await consumption.stop();
  const [unreadable] = linesOf(/dead-letter/);
  expect(unreadable).toMatchObject({
    requestId: 'second',
    topic: 'bad',
    group: 'readers',
    reason: 'no good',
  });
  const [failed] = linesOf(/handler failed/);
  const named = failed?.['requestIds'] ?? [failed?.['requestId']];
  expect(named).toContain('first');
  expect(failed?.['error']).toMatchObject({ message: 'query failed' });
  expect(JSON.stringify(failed)).not.toContain('ada@example.com');
  const exposed = await metrics.registry.metrics();
  expect(exposed).toMatch(/switchboard_event_log_handling_failures_total\{group="readers",topic="bad".*\} 1/);
  expect(exposed).toMatch(/switchboard_event_log_dead_letters_total\{group="readers",topic="bad".*\} [12]\n/);
});

it('a record that a consumer publishes has the id of the original request', async () => {
  await log.createTopics(
    ['in', 'out'].map((name) => ({ name, partitions: 1, replication: 1, cleanup: 'delete' as const })),
  );
  await inScope({ requestId: 'origin' }, () => log.publish('in', [record('x')]));
  const through = await log.consume({
    group: 'through',
    topics: ['in'],
    async handle({ records }) {
      await log.publish(
        'out',
        records.map(({ value }) => record(String(value))),
      );
    },
  });
  const seen: unknown[] = [];
  const end = await log.consume({
    group: 'end',
    topics: ['out'],
    handle: async ({ records }) => void seen.push(...records.map(({ headers }) => headers['request_id'])),
  });
  await eventually(async () => expect(seen).toEqual(['origin']));
  await through.stop();
  await end.stop();
});

it('a failure in the event log is logged with the request id, and counted', async () => {
  const server = await postgresServer(['log']);
  const config = parseConfig(settings, { EVENT_LOG_DATABASE_URL: server.url('log') });
  const ownMetrics = createMetrics('flags');
  const breakable = openWholeLog({ config, logger, metrics: ownMetrics }, 'test');
  await breakable.createTopics([{ name: 't', partitions: 1, replication: 1, cleanup: 'delete' }]);
  await inScope({ requestId: 'lucky' }, () => breakable.publish('t', [record('x')]));
  await server.stop();
  await expect(
    inScope({ requestId: 'unlucky' }, () => breakable.publish('t', [record('x')])),
  ).rejects.toThrow();
  expect(linesOf(/^Publishing to PostgreSQL fails/)).toEqual([
    expect.objectContaining({ requestId: 'unlucky' }),
  ]);
  const exposed = await ownMetrics.registry.metrics();
  expect(exposed).toMatch(/publish_failures_total\{topic="t".*\} 1/);
  expect(exposed).toMatch(/published_records_total\{topic="t".*\} 1/);
  expect(exposed).toMatch(/dependency_up\{dependency="event log".*\} 0/);
  await breakable.close();
  await server.remove();
});
