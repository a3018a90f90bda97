import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDatabase } from '@switchboard/database';
import {
  createLogger,
  createMetrics,
  inScope,
  measureCalls,
  startTracing,
  type Tracing,
} from '@switchboard/runtime';
import {
  eventually,
  freePort,
  type OtlpReceiver,
  startOtlpReceiver,
  testDatabase,
} from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { KEY, startTestApp, type TestApp } from '../testing/test-app.ts';

let receiver: OtlpReceiver;
let tracing: Tracing | undefined;
let app: TestApp;
const lines: string[] = [];

async function open(more: Record<string, string> = {}): Promise<Tracing> {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, OTEL_BSP_SCHEDULE_DELAY: '20', ...more };
  // The exporter reads its own variables from the process environment.
  Object.assign(process.env, env);
  const destination = { write: (line: string) => void lines.push(line) };
  const opened = await startTracing(
    'flags',
    env,
    createLogger({ service: 'flags', level: 'info', destination }),
  );
  for (const name of Object.keys(env)) delete process.env[name];
  if (opened === undefined) throw new Error('tracing is off');
  return opened;
}

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  tracing = await open();
  app = await startTestApp({}, { tracing });
  app.app.hono.get('/fetch', async (c) => {
    const response = await fetch(c.req.query('target') ?? '').catch(() => undefined);
    await response?.text();
    return c.body(null, 204);
  });
});
afterAll(async () => {
  await app.stop();
  await tracing?.close();
  await receiver.stop();
});
beforeEach(() => {
  receiver.become('well');
  receiver.spans.length = 0;
});

const headers = { Authorization: `Bearer ${KEY}` };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const read = (more: Record<string, string> = {}) =>
  fetch(`${app.url}/things/one`, { headers: { ...headers, ...more } });
const received = (count = 1) =>
  eventually(async () => {
    expect(receiver.spans.length).toBeGreaterThanOrEqual(count);
    return receiver.spans;
  });

it('a request is a span of its operation, with its status, request id and project', async () => {
  await read({ 'X-Request-Id': 'mine' });
  const [span] = await received();
  expect(span).toMatchObject({
    service: 'flags',
    name: 'GET /things/{name}',
    kind: 'server',
    parentSpanId: '',
  });
  expect(span?.attributes).toEqual({
    'http.request.method': 'GET',
    'http.route': '/things/{name}',
    'http.response.status_code': 200,
    'url.scheme': 'http',
    'switchboard.request_id': 'mine',
    'switchboard.project_id': 'p1',
  });
});

it('the trace of a caller is continued', async () => {
  await read({ traceparent: PARENT });
  expect((await received())[0]).toMatchObject({ traceId: TRACE, parentSpanId: '00f067aa0ba902b7' });
});

it('a caller cannot turn off the recording of its request', async () => {
  await read({ traceparent: PARENT.replace(/01$/, '00') });
  expect((await received())[0]).toMatchObject({ traceId: TRACE, parentSpanId: '00f067aa0ba902b7' });
});

it.each([
  ['parentbased_always_off', '1'],
  ['parentbased_traceidratio', '0.0001'],
  ['traceidratio', '0.0001'],
])('a caller cannot request the recording of its request: %s', async (sampler, ratio) => {
  const own = await open({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio });
  // An id that every sampling ratio records.
  const id = `${'0'.repeat(31)}8`;
  const start = { name: 'x', kind: 'server', attributes: {} } as const;
  const flags = Array.from({ length: 20 }, () => {
    const span = own.start(start, [{ traceparent: `00-${id}-00f067aa0ba902b7-01` }]);
    const sent = span.child({ name: 'send', kind: 'producer', attributes: {} });
    sent.end();
    span.end();
    expect(span.traceId).toBe(id);
    expect(sent.headers['traceparent']?.slice(-2)).toBe(span.headers['traceparent']?.slice(-2));
    return span.headers['traceparent']?.slice(-2);
  });
  expect(flags).toContain('00');
  await own.close();
});

it.each([
  'garbage',
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `ff-${TRACE}-00f067aa0ba902b7-01`,
  `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
  `00-${TRACE}-00f067aa0ba902b7-01-more`,
  `${PARENT}, ${PARENT}`,
  'x'.repeat(8_000),
])('an invalid trace context begins a new trace (%#)', async (traceparent) => {
  expect((await read({ traceparent, tracestate: '=,=;\u00ff' })).status).toBe(200);
  const [span] = await received();
  expect(span?.parentSpanId).toBe('');
  expect(span?.traceId).not.toBe(TRACE);
});

it('health checks and scrapes have no spans', async () => {
  await fetch(`${app.url}/health/live`);
  await fetch(`${app.url}/metrics`);
  await read();
  expect((await received()).map(({ name }) => name)).toEqual(['GET /things/{name}']);
});

it('a defect has an error span', async () => {
  await fetch(`${app.url}/files/defect`, { method: 'POST', headers });
  expect((await received())[0]).toMatchObject({ isError: true, attributes: { 'error.type': '500' } });
});

it('a fetch during a request is a span of its trace, and sends no trace context', async () => {
  const seen: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    seen.push(request.headers['traceparent']?.toString());
    response.writeHead(request.url === '/gone' ? 410 : 200).end('x');
  });
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  for (const target of [
    `http://127.0.0.1:${port}/fine?token=t`,
    `http://127.0.0.1:${port}/gone`,
    `http://127.0.0.1:${await freePort()}`,
  ]) {
    await fetch(`${app.url}/fetch?target=${encodeURIComponent(target)}`);
  }
  await fetch(`http://127.0.0.1:${port}/by-nobody`);
  const spans = await received(6);
  const fetches = spans.filter(({ kind }) => kind === 'client');
  const servers = spans.filter(({ kind }) => kind === 'server').map(({ spanId }) => spanId);
  expect(fetches.map(({ name, isError }) => [name, isError])).toEqual([
    ['GET', false],
    ['GET', true],
    ['GET', true],
  ]);
  expect(fetches.map(({ parentSpanId }) => parentSpanId)).toEqual(servers);
  expect(fetches[0]?.attributes).toEqual({
    'http.request.method': 'GET',
    'http.response.status_code': 200,
    'server.address': '127.0.0.1',
    'server.port': port,
    'url.scheme': 'http',
  });
  expect(seen).toEqual([undefined, undefined, undefined]);
  other.close();
});

it('calls of dependencies during a request are spans of its trace, without values', async () => {
  const { url, drop } = await testDatabase();
  onTestFinished(drop);
  const metrics = createMetrics('flags');
  const measure = measureCalls({ metrics, tracing, dependency: 'database', system: 'postgresql' });
  const database = openDatabase({ url, applicationName: 'test', measure });
  onTestFinished(() => database.close());
  const span = tracing?.start({ name: 'work', kind: 'server', attributes: {} }, [{ traceparent: PARENT }]);
  await inScope({ span }, async () => {
    await database.sql`select 'secret', relname from pg_class limit ${1}`;
    await measure('get')(new Error('secret'));
  });
  span?.end();
  await database.sql`select 1`;
  const spans = await received(3);
  const ofWork = spans.find(({ name }) => name === 'work');
  const calls = spans.filter(({ kind }) => kind === 'client');
  expect(calls).toMatchObject([
    { name: 'select pg_class', isError: false, traceId: TRACE, parentSpanId: ofWork?.spanId },
    { name: 'get', isError: true, traceId: TRACE },
  ]);
  expect(calls[0]?.attributes).toEqual({
    'peer.service': 'database',
    'db.system.name': 'postgresql',
    'db.operation.name': 'query',
  });
  expect(JSON.stringify(spans)).not.toContain('secret');
});

it('the sampler is configured by environment variables', async () => {
  const none = await open({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
  const start = { name: 'x', kind: 'server', attributes: {} } as const;
  const unsampled = none.start(start, [{ traceparent: PARENT }]);
  expect(unsampled.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  unsampled.end();
  await none.close();
  expect(receiver.spans).toEqual([]);
});

it('work for several traces links to each of them', async () => {
  const other = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const start = { name: 'process', kind: 'consumer', attributes: {} } as const;
  tracing?.start(start, [{ traceparent: PARENT }, { traceparent: other }, { traceparent: PARENT }, {}]).end();
  const [span] = await received();
  expect([TRACE, 'a'.repeat(32)]).not.toContain(span?.traceId);
  expect(span?.links.map(({ traceId }) => traceId)).toEqual([TRACE, 'a'.repeat(32)]);
});

it('pending spans are sent when tracing closes', async () => {
  const slow = await open({ OTEL_BSP_SCHEDULE_DELAY: '600000' });
  slow.start({ name: 'last', kind: 'server', attributes: {} }, []).end();
  await slow.close();
  expect(receiver.spans.map(({ name }) => name)).toEqual(['last']);
});

it('closing ends even if the collector never responds', async () => {
  const stuck = await open();
  receiver.become('stuck');
  stuck.start({ name: 'lost', kind: 'server', attributes: {} }, []).end();
  await stuck.close();
  expect(receiver.spans).toEqual([]);
});

it('a failing collector is logged once when it fails and once when it recovers, and requests continue', async () => {
  lines.length = 0;
  receiver.become('failing');
  for (let i = 0; i < 5; i++) {
    expect((await read()).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  receiver.become('well');
  await eventually(async () => {
    await read();
    expect(receiver.spans).not.toEqual([]);
  });
  const said = lines.map((line) => JSON.parse(line).msg);
  expect(said).toEqual(['sending traces failed, dropping them', 'traces are sent again']);
});
