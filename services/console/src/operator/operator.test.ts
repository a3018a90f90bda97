import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createEncryption, createHealth, createMetrics, parseConfig } from '@switchboard/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { consoleSettings } from '../config.ts';
import { createConsole } from '../service.ts';
import { isOperatorToken } from '../session/operator.ts';
import { deploymentState } from './deployment-state.ts';

const CONSOLE = 'http://console.example';
const SECRET = 'a-secret-of-the-test-long-enough-to-encrypt';
const MINUTE_MS = 60_000;

/** A service: its management API, health and metrics. */
let service: Server;
let url: string;
let asked: { call: string; headers: IncomingMessage['headers']; body: string }[];
let refuses: boolean;

beforeAll(async () => {
  service = createServer(async (request, response) => {
    const path = request.url ?? '';
    const body = (await buffer(request)).toString();
    asked.push({ call: `${request.method} ${path}`, headers: request.headers, body });
    if (path.endsWith('/silent')) return;
    if (path.endsWith('/endless')) {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      return more();
    }
    if (path === '/health/ready') {
      response.writeHead(503);
      return response.end(JSON.stringify({ status: 'not ready', problems: { 'event log': 'unavailable' } }));
    }
    if (path === '/metrics') return response.end(METRICS);
    response.writeHead(refuses ? 403 : 200, {
      'Content-Type': 'application/json',
      ETag: '"3"',
      'Set-Cookie': 'a=b',
      'Access-Control-Allow-Origin': '*',
      'X-Request-Id': 'r1',
    });
    return response.end(JSON.stringify({ path }));
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
});
beforeEach(() => {
  asked = [];
  refuses = false;
});

const METRICS = `# HELP switchboard_build_info Always 1.
switchboard_build_info{version="1.2.3",revision="abc",node="24.0.0",region="eu",service="catalogue"} 1
process_start_time_seconds{service="catalogue"} 1700000000
switchboard_dependency_up{dependency="database",service="catalogue"} 1
switchboard_dependency_up{dependency="event log",service="catalogue"} 0
switchboard_event_log_lag{group="archive.events",topic="events",partition="0",service="catalogue"} 4
switchboard_event_log_lag{group="archive.events",topic="events",partition="1",service="catalogue"} 3
switchboard_event_log_group_members{group="archive.events",service="catalogue"} 2
`;

const openApp = (urls: Record<string, string> | null = { catalogue: url }, callMs = 10_000) =>
  createConsole({
    config: parseConfig(consoleSettings, {
      CONSOLE_URL: CONSOLE,
      PUBLIC_API_URL: 'http://api.example',
      PUBLIC_EVENTS_URL: 'http://events.example',
      PUBLIC_REPLAY_URL: 'http://replay.example',
      OIDC_ISSUER: 'http://127.0.0.1:1',
      SESSION_SECRET: SECRET,
      TRUSTED_PROXY_HOPS: '1',
      ...(urls === null ? {} : { MANAGEMENT_URLS: JSON.stringify(urls) }),
    }),
    assets: { index: { type: 'text/html', bytes: new Uint8Array(), etag: '""' }, files: new Map() },
    health: createHealth(),
    logger: { failed: () => undefined },
    metrics: createMetrics('console'),
    callMs,
  });

/** Returns the cookie of an operator, which the console gives with an operator's access token. */
async function operatorCookie(until = Date.now() + MINUTE_MS, name = 'switchboard_operator') {
  const encryption = createEncryption({ secrets: [SECRET], purpose: 'sessions of the console' });
  return `switchboard_operator=${await encryption.encrypt(String(until), name)}`;
}

interface Sent {
  app?: ReturnType<typeof openApp>;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

async function send(path: string, { app = openApp(), method = 'GET', headers = {}, body }: Sent = {}) {
  return app.request(`${CONSOLE}${path}`, {
    method,
    headers: {
      'Sec-Fetch-Site': 'same-origin',
      Authorization: 'Bearer token-of-ada',
      Cookie: await operatorCookie(),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
}

const PLANS = '/operator/catalogue/management/v1/plans';

it('passes on the method, the path, the query, the body and four headers, and nothing else', async () => {
  const answer = await send(`${PLANS}/pro%2Fa/monthly?limit=2`, {
    method: 'PUT',
    headers: {
      'Content-Type': 'application/json',
      'If-Match': '"2"',
      'X-Forwarded-For': '192.0.2.7',
      'X-Evil': 'yes',
      'X-Forwarded-Host': 'evil.example',
    },
    body: '{"priced":true}',
  });
  expect(answer.status).toBe(200);
  const [{ call, headers, body } = expect.unreachable()] = asked;
  expect([call, body]).toEqual(['PUT /management/v1/plans/pro%2Fa/monthly?limit=2', '{"priced":true}']);
  const { host, connection, 'content-length': _, 'transfer-encoding': __, ...rest } = headers;
  expect(rest).toEqual({
    authorization: 'Bearer token-of-ada',
    'content-type': 'application/json',
    'if-match': '"2"',
    'x-forwarded-for': '192.0.2.7',
  });
  expect([answer.headers.get('etag'), answer.headers.get('x-request-id')]).toEqual(['"3"', 'r1']);
  expect(answer.headers.has('set-cookie')).toBe(false);
  expect(answer.headers.has('access-control-allow-origin')).toBe(false);
  expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
});

it.each([
  '/operator/catalogue/metrics',
  '/operator/catalogue/health/ready',
  '/operator/catalogue/management/v2/plans',
  '/operator/catalogue/management/v1/../../metrics',
  '/operator/catalogue/management/v1/%2e%2e/%2e%2e/metrics',
  '/operator/catalogue/management/v1/..%2f..%2fmetrics',
  '/operator/catalogue/management/v1/%252e%252e/metrics',
  '/operator/catalogue/management/v1/..%5c..%5cmetrics',
  '/operator/catalogue/management/v1/a%00b',
  '/operator/catalogue/management/v1/a%0d%0aX-Evil:%20yes',
  '/operator/catalogue/management/v1/%zz',
  '/operator/catalogue//management/v1/plans',
  '/operator/ingestion/management/v1/plans',
  '/operator/constructor/management/v1/plans',
  '/operator/__proto__/management/v1/plans',
  '/operator/catalogue@evil.example/management/v1/plans',
  '/operator/catalogue%2f..%2f/management/v1/plans',
])('sends nothing to a service for %s', async (path) => {
  await send(path);
  expect(asked).toEqual([]);
});

it.each([
  ['a page of another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['a page of another host of the site', { 'Sec-Fetch-Site': 'same-site' }],
  ['an address that a person opens', { 'Sec-Fetch-Site': 'none' }],
])('refuses %s', async (_, headers) => {
  for (const path of [PLANS, '/operator/state']) expect((await send(path, { headers })).status).toBe(403);
  expect(asked).toEqual([]);
});

it('refuses a browser without Sec-Fetch-Site that sends another Origin or none', async () => {
  const cookie = await operatorCookie();
  const of = (headers: Record<string, string>) =>
    openApp().request(`${CONSOLE}${PLANS}`, {
      headers: { Authorization: 'Bearer t', Cookie: cookie, ...headers },
    });
  expect((await of({})).status).toBe(403);
  expect((await of({ Origin: 'http://evil.example' })).status).toBe(403);
  expect((await of({ Origin: CONSOLE })).status).toBe(200);
});

it('requires a bearer token', async () => {
  for (const Authorization of ['', 'Basic YTpi', `Bearer ${'x'.repeat(8_193)}`]) {
    const answer = await send(PLANS, { headers: { Authorization } });
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: { code: 'UNAUTHORIZED' } }]);
  }
  expect(asked).toEqual([]);
});

it('refuses people without the mark of an operator, with one that ended, and with one of another purpose', async () => {
  const cookies = [
    '',
    'switchboard_operator=9999999999999',
    await operatorCookie(Date.now() - 1),
    await operatorCookie(Date.now() + MINUTE_MS, 'switchboard_console'),
  ];
  for (const Cookie of cookies) {
    for (const path of [PLANS, '/operator/state']) {
      const answer = await send(path, { headers: { Cookie } });
      expect([answer.status, await answer.json()]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }]);
    }
  }
  expect(asked).toEqual([]);
});

it('answers with the refusal of the service for a token without service.manage', async () => {
  refuses = true;
  expect((await send(PLANS)).status).toBe(403);
  expect(asked).toHaveLength(1);
});

it('refuses a body of more than a megabyte before it calls the service', async () => {
  const body = new Uint8Array(1_048_577);
  const answer = await send(PLANS, { method: 'POST', body });
  expect([answer.status, await answer.json()]).toMatchObject([413, { error: { code: 'PAYLOAD_TOO_LARGE' } }]);
  expect(asked).toEqual([]);
});

it('refuses methods that the management API does not have', async () => {
  for (const method of ['OPTIONS', 'PROPFIND']) await send(PLANS, { method });
  expect(asked).toEqual([]);
});

describe('with a service that fails', () => {
  it('ends a call of a silent service, and lets nothing repeat a change', async () => {
    const app = openApp(undefined, 200);
    for (const method of ['GET', 'POST'])
      expect((await send(`${PLANS}/silent`, { app, method })).status).toBe(504);
  });

  it('ends an endless response', async () => {
    const answer = await send(`${PLANS}/endless`);
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: 'UNAVAILABLE' } }]);
  });

  it('names the service that cannot be reached', async () => {
    const app = openApp({ catalogue: 'http://127.0.0.1:1' });
    const [read, change] = [await send(PLANS, { app }), await send(PLANS, { app, method: 'POST' })];
    expect([read.status, change.status]).toEqual([503, 502]);
    expect(await read.json()).toMatchObject({
      error: { message: 'catalogue does not answer: no answer: ECONNREFUSED' },
    });
  });
});

it('reads the state of every service, and the lag of every consumer group', async () => {
  const app = openApp({ catalogue: url, flags: 'http://127.0.0.1:1' });
  const answer = await send('/operator/state', { app });
  expect(deploymentState.parse(await answer.json())).toEqual({
    services: [
      {
        service: 'catalogue',
        status: 'not ready',
        problems: { 'event log': 'unavailable' },
        version: '1.2.3',
        revision: 'abc',
        region: 'eu',
        startedAt: '2023-11-14T22:13:20.000Z',
        dependencies: [
          { name: 'database', isUp: true },
          { name: 'event log', isUp: false },
        ],
      },
      {
        service: 'flags',
        status: 'unreachable',
        problems: { service: 'no answer: ECONNREFUSED' },
        version: null,
        revision: null,
        region: null,
        startedAt: null,
        dependencies: [],
      },
    ],
    groups: [{ group: 'archive.events', topic: 'events', partitions: 2, behind: 7, members: 2 }],
  });
});

it('knows the access token of an operator by service.manage', () => {
  const token = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
  expect(isOperatorToken(token({ permissions: ['service.read', 'service.manage'] }))).toBe(true);
  for (const one of ['', 'opaque', 'a.b.c', token({}), token({ permissions: 'service.manage' })])
    expect(isOperatorToken(one)).toBe(false);
  expect(isOperatorToken(token({ permissions: ['service.read'] }))).toBe(false);
});

it('has no pages for operators without MANAGEMENT_URLS', async () => {
  const app = openApp(null);
  for (const path of ['/operator', '/operator/companies', '/operator/state', PLANS])
    expect((await send(path, { app })).status).toBe(404);
});
