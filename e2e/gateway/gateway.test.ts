import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { consoleOperations, publicOperations, SERVICE_NAMES, type ServiceName } from '@switchboard/contracts';
import { parseTar } from 'nanotar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiClient, type Call, operationOf } from '../harness/call.ts';
import { type Deployment, deploy, SECRETS } from '../harness/deployment.ts';
import { callEveryOperation, prepareOperations } from '../harness/every-operation.ts';
import { gatewayPorts, startGateway } from '../harness/gateway.ts';
import { createProject, type Manage, managementClient, type TestProject } from '../harness/project.ts';
import { openSocket } from '../harness/socket.ts';

/** A small stand-in for the SDKs that messenger serves. */
const sdks = await mkdtemp(join(tmpdir(), 'sdks-'));
const SDK_FILE = join(sdks, 'sdks.json');
const hashed = 'browser.0123456789abcdef.js';
const script = '/* the SDK */'.repeat(100);
await writeFile(
  SDK_FILE,
  JSON.stringify({
    scripts: { [hashed]: script },
    names: { 'browser.js': hashed },
    packages: {
      '@switchboard/browser': { 'package.json': '{"dependencies":{"@switchboard/x":"workspace:^"}}' },
    },
  }),
);
afterAll(() => rm(sdks, { recursive: true }));

const deployment = await deploy({
  region: 'eu',
  parts: SERVICE_NAMES.map((service) => ({ service, instances: 1 })),
  // Enables all log lines, none of which may contain a secret.
  env: { LOG_LEVEL: 'debug', SDK_FILE },
  gatewayEnv: { GATEWAY_LOG_LEVEL: 'DEBUG' },
  isPooled: true,
});
/** Strings that no log may contain, collected from the responses. */
const secrets = new Set<string>();
let project: TestProject;
let call: Call;
let manage: Manage;

beforeAll(async () => {
  if (deployment === undefined) return;
  project = await createProject(deployment, { id: 'web-shop', reportId: 'weekly-sign-ups', region: 'eu' });
  const client = apiClient(deployment.gateway, project);
  call = async (operationId, options) => {
    const answer = await client(operationId, options);
    const issued = z.object({ token: z.string() }).safeParse(answer.body);
    if (issued.success) secrets.add(issued.data.token);
    return answer;
  };
  manage = await managementClient(deployment);
});
afterAll(() => deployment?.stop(), 60_000);

function deployed(): Deployment {
  if (deployment === undefined) throw new Error('no deployment');
  return deployment;
}

/** Returns the requests that a service has counted, as `GET /v1/flags 200`. */
async function countedBy(service: ServiceName): Promise<string[]> {
  const metrics = await (await fetch(`${deployed().serving(service)[0]?.url}/metrics`)).text();
  const lines = metrics.matchAll(/^switchboard_http_requests_total\{(.*)\} \d/gm);
  return [...lines].map(([, labels = '']) => {
    const label = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1];
    return `${label('method')} ${label('route')} ${label('status')}`;
  });
}

/** Sends a path unchanged. fetch would normalise it. */
async function raw(base: string, path: string, options: { localAddress?: string; headers?: object } = {}) {
  const { port } = new URL(base);
  const request = get({ host: '127.0.0.1', port, path, ...options, headers: { ...options.headers } });
  return await new Promise<{ status: number; body: string }>((resolve, reject) => {
    request.on('error', reject).on('response', async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) });
    });
  });
}

/** Yields the data of each event of a stream. */
async function* eventsOf(body: ReadableStream<Uint8Array> | null) {
  let text = '';
  for await (const bytes of body ?? []) {
    text += Buffer.from(bytes).toString();
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

const described = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
  servers: z.array(z.object({ url: z.string() })),
});
const accessLine = z.object({
  status: z.int(),
  duration: z.number(),
  request: z.object({ method: z.string(), uri: z.string(), remote_ip: z.string() }),
});
const errorB = (code: string) => ({ error: { code, message: expect.any(String) } });
const errorA = (statusCode: number) => ({
  statusCode,
  message: expect.any(String),
  error: expect.any(String),
});

/** Reads the first bytes of a response and closes the connection. */
async function leaveInMidAnswer(url: string, headers: Record<string, string>): Promise<void> {
  const request = get(url, { headers });
  await new Promise<void>((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      response.once('readable', () => {
        response.on('error', () => undefined).destroy();
        resolve();
      });
    });
  });
}

describe.skipIf(deployment === undefined)('the gateway', () => {
  test('every operation reaches its service and succeeds, through a pooler of transactions', async () => {
    const answers = await callEveryOperation(call, await prepareOperations(manage, project));

    const statuses = [...answers].map(([operationId, { status, body }]) => ({ operationId, status, body }));
    expect(statuses.filter(({ status }) => status >= 300)).toEqual([]);
    // Excludes the streams, which do not end.
    const others = publicOperations.filter(
      (one) =>
        !['streamFlagChanges', 'streamEvents', 'streamConversations'].includes(one.operationId) &&
        !consoleOperations.includes(one),
    );
    expect([...answers.keys()].sort()).toEqual(others.map((it) => it.operationId).sort());

    const counted = new Map<ServiceName, string[]>(
      await Promise.all(SERVICE_NAMES.map(async (service) => [service, await countedBy(service)] as const)),
    );
    for (const [operationId, { status }] of answers) {
      const { method, path, service } = operationOf(operationId);
      expect(counted.get(service)).toContain(`${method.toUpperCase()} ${path} ${status}`);
    }
  });

  test("every operation of the console reaches its service, which requires a person's token", async () => {
    const { api } = deployed().gateway;
    const names: readonly string[] = SERVICE_NAMES;
    const required = consoleOperations.filter(({ service }) => names.includes(service));
    for (const { operationId, method, path } of required) {
      const url = api + path.replaceAll(/\{\w+\}/g, 'some-id');
      const answer = await fetch(url, { method: method.toUpperCase() });
      expect([operationId, answer.status, await answer.json()]).toEqual([
        operationId,
        401,
        errorB('UNAUTHORIZED'),
      ]);
    }
    const counted = await Promise.all(SERVICE_NAMES.map(countedBy));
    expect(counted.flat()).toEqual(
      expect.arrayContaining(required.map(({ method, path }) => `${method.toUpperCase()} ${path} 401`)),
    );
  });

  test('requests for an optional service without an address get 503', async () => {
    const { api } = deployed().gateway;
    const paths = ['/v1/companies/acme/sign-in', '/identity/jwks', '/identity/scim/v2/Users'];
    for (const path of paths) {
      const answer = await fetch(`${api}${path}`);
      expect([path, answer.status]).toEqual([path, 503]);
    }
  });

  test('the SDKs are served on the API host, compressed, for pages of any origin', async () => {
    const { api, events } = deployed().gateway;
    const short = await fetch(`${api}/sdk/browser.js`, { headers: { 'Accept-Encoding': 'br' } });
    expect([short.status, await short.text()]).toEqual([200, script]);
    expect(Object.fromEntries(short.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
      'content-encoding': 'br',
    });
    const etag = short.headers.get('etag') ?? '';
    const again = await fetch(`${api}/sdk/browser.js`, {
      headers: { 'Accept-Encoding': 'br', 'If-None-Match': etag },
    });
    expect([again.status, again.headers.get('access-control-allow-origin')]).toEqual([304, '*']);
    const long = await fetch(`${api}/sdk/${hashed}`);
    expect(long.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const index = await (await fetch(`${api}/sdk/index.json`)).json();
    expect(index).toMatchObject({ packages: { '@switchboard/browser': `${api}/sdk/browser.tgz` } });
    const tarball = await fetch(`${api}/sdk/browser.tgz`);
    const files = parseTar(new Uint8Array(gunzipSync(Buffer.from(await tarball.arrayBuffer()))));
    expect(files.map(({ name, text }) => [name, JSON.parse(text)])).toEqual([
      ['package/package.json', { dependencies: { '@switchboard/x': `${api}/sdk/x.tgz` } }],
    ]);
    for (const address of [`${api}/sdk/other.js`, `${api}/sdk/`, `${events}/sdk/browser.js`]) {
      const { status, headers } = await fetch(address);
      expect([address, status, headers.get('content-type')]).toEqual([
        address,
        404,
        'application/json; charset=utf-8',
      ]);
    }
  });

  test('a visitor receives a reply on the messenger socket', async () => {
    const opened = await call('openConversation');
    const { conversationId, token } = z
      .object({ conversationId: z.string(), token: z.string() })
      .parse(opened.body);
    const socket = await openSocket(`${deployed().gateway.api}/v1/messenger/socket?api_key=${project.key}`);
    socket.send({ type: 'subscribe', conversationId, token });
    expect(await socket.next('subscribed')).toMatchObject({ conversationId });
    const turns = `/projects/${project.id}/conversations/${conversationId}/turns`;
    await manage('messenger', 'POST', turns, { authorId: 'grace', body: 'We are looking.' });
    expect(await socket.next('turn')).toMatchObject({ turn: { body: 'We are looking.' } });
    socket.close();
  });

  test('an SDK is notified of a changed flag on the flags socket', async () => {
    const socket = await openSocket(`${deployed().gateway.api}/v1/flags/socket?api_key=${project.key}`);
    await socket.next('ready');
    await manage('flags', 'PUT', `/projects/${project.id}/flags/beta`, {
      enabled: true,
      rolloutPercentage: 100,
    });
    expect(await socket.next('flags_changed')).toMatchObject({ generatedAt: expect.any(String) });
    socket.close();
  });

  test('an OpenFeature client is notified of a changed flag on the event stream', async () => {
    const url = `${deployed().gateway.api}/ofrep/v1/changes?api_key=${project.key}`;
    const stopping = new AbortController();
    const { body } = await fetch(url, { signal: stopping.signal });
    const events = eventsOf(body);
    const first = await events.next();
    await manage('flags', 'PUT', `/projects/${project.id}/flags/gamma`, {
      enabled: true,
      rolloutPercentage: 100,
    });
    const second = await events.next();
    expect([first.value, second.value]).toEqual([
      expect.objectContaining({ type: 'refetchEvaluation' }),
      expect.objectContaining({ type: 'refetchEvaluation' }),
    ]);
    stopping.abort();
  });

  test('a public link opens the shared report', async () => {
    const link = await call('putPublicLink', { body: { expiresOn: tomorrow() } });
    const { url } = z.object({ url: z.string() }).parse(link.body);
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
  });

  test('a body over the limit of its operation gets 413 in the error shape of the operation, with or without Content-Length', async () => {
    const { api, replay } = deployed().gateway;
    const headers = { Authorization: `Bearer ${project.key}` };
    const post = (url: string, body: string | ReadableStream) =>
      fetch(url, { method: 'POST', headers, body, duplex: 'half' });
    const turns = `${api}/v1/conversations`;
    const known = await post(turns, 'x'.repeat(300_000));
    expect(known.status).toBe(413);
    expect(await known.json()).toEqual(errorA(413));
    const unknown = await post(turns, new Blob(['x'.repeat(300_000)]).stream());
    expect(unknown.status).toBe(413);
    expect(await unknown.json()).toEqual(errorA(413));
    const chunk = await post(`${replay}/v1/replay`, new Blob(['x'.repeat(26_300_000)]).stream());
    expect(chunk.status).toBe(413);
    expect(chunk.headers.get('x-error')).toContain('larger');
    expect(await chunk.text()).toBe('');
  });

  test.each([
    '/management/v1/plans/pro/monthly',
    '/metrics',
    '/health/ready',
    '/health/serving',
    '/health/live',
    '/v1/conversations/../../metrics',
    '/v1/conversations/%2e%2e',
    '/v1/projects/../../management/v1/annotations',
    '/v1/nothing',
    '/v1/flags/',
    '/',
  ])('the path %s is not found', async (path) => {
    for (const host of ['api', 'events', 'replay'] as const) {
      const { status, body } = await raw(deployed().gateway[host], path);
      expect({ status, body: JSON.parse(body) }).toEqual({ status: 404, body: errorB('NOT_FOUND') });
    }
  });

  test('an operation is served on its own host only', async () => {
    const { api, events, replay } = deployed().gateway;
    const refused = async (url: string) => {
      const answer = await fetch(url);
      return [answer.status, answer.headers.get('x-error') ?? JSON.stringify(await answer.json())];
    };
    const servedBy = (host: string) => [
      404,
      expect.stringContaining(`Not found: this path is served by the ${host} host.`),
    ];
    expect(await refused(`${events}/v1/plans`)).toEqual(servedBy('API'));
    expect(await refused(`${replay}/v1/events`)).toEqual(servedBy('events'));
    expect(await refused(`${api}/v1/events`)).toEqual(servedBy('events'));
    expect(await refused(`${api}/v1/replay`)).toEqual(servedBy('replay'));
  });

  test('an unsupported method gets 405 with Allow', async () => {
    const answer = await fetch(`${deployed().gateway.api}/v1/flags`, { method: 'POST' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toContain('GET');
  });

  test('every host serves the OpenAPI document without management operations, and /docs with its own script', async () => {
    const { api, events, replay } = deployed().gateway;
    for (const url of [api, events, replay]) {
      const answer = await fetch(`${url}/openapi.json`);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const { paths, servers } = described.parse(await answer.json());
      const ids = Object.values(paths).flatMap((methods) =>
        Object.values(methods).map((it) => it.operationId),
      );
      expect(ids.sort()).toEqual(publicOperations.map((it) => it.operationId).sort());
      expect(servers.map((server) => server.url).sort()).toEqual([api, events, replay].sort());
      const page = await fetch(`${url}/docs`);
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
      const script = /src="(docs\/[^"]+)"/.exec(await page.text())?.[1];
      expect((await fetch(`${url}/${script}`)).status).toBe(200);
    }
  });

  test('services see the real address of a caller that sends X-Forwarded-For', async () => {
    const { api } = deployed().gateway;
    const link = z
      .object({ token: z.string() })
      .parse((await call('putPublicLink', { body: { expiresOn: tomorrow() } })).body);
    const read = (localAddress: string, claimed: number) =>
      raw(api, `/v1/shared-reports/${link.token}`, {
        localAddress,
        headers: { 'X-Forwarded-For': `10.0.0.${claimed}`, Forwarded: `for=10.0.0.${claimed}` },
      });
    const statuses: number[] = [];
    for (let i = 0; i < 31; i++) statuses.push((await read('127.0.0.1', i)).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await read('127.0.0.2', 0)).status).toBe(200);
  });

  test('a valid request id is passed on and returned; otherwise the gateway makes one', async () => {
    const { api } = deployed().gateway;
    const named = await fetch(`${api}/v1/plans`, { headers: { 'X-Request-Id': 'of-the-caller' } });
    expect(named.headers.get('x-request-id')).toBe('of-the-caller');
    const unnamed = await fetch(`${api}/v1/nothing`, { headers: { 'X-Request-Id': 'not fit' } });
    expect(unnamed.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('no log contains a secret, a key or the id of a visitor, even for requests that the client left', async () => {
    const { gateway, instances, backings } = deployed();
    await manage('collaboration', 'POST', `/projects/${project.id}/reports/${project.reportId}/runs`, {
      report: { rows: Array.from({ length: 80_000 }, (_, day) => ({ day, signUps: 42 })) },
    });
    const identity = await manage('messenger', 'POST', `/projects/${project.id}/identity-secrets`);
    const link = await call('putPublicLink', { body: { expiresOn: tomorrow() } });
    const { token } = z.object({ token: z.string() }).parse(link.body);
    const query = 'a-person-whom-no-log-names';
    await call('evaluateFlags', { query: { distinct_id: query } });
    await fetch(`${gateway.api}/v1/flags?api_key=${project.key}&distinct_id=${query}`);
    await fetch(`${gateway.api}/v1/nothing?distinct_id=${query}`);
    await fetch(`${gateway.api}/v1/conversations/unknown`, {
      headers: { Authorization: `Bearer ${project.key}`, 'X-Service-Conversation-Token': `cvt_${query}` },
    });
    const visitor = 'a-visitor-whom-no-log-names';
    const revokedKey = `pk_eu_${'z'.repeat(32)}`;
    const asMember = { headers: { Authorization: `Bearer ${project.member}` } };
    const ofProject = `${gateway.api}/v1/projects/${project.id}`;
    for (const url of [
      `${ofProject}/people/${visitor}`,
      `${ofProject}/people/${visitor}/events`,
      `${ofProject}/replays/${visitor}/events`,
      `${ofProject}/keys/${revokedKey}`,
      `${ofProject}/people-${visitor}`,
      `${gateway.api}/v1/messenger/avatar/${visitor}/${visitor}.png`,
      `${gateway.api}/v1/nothing/${visitor}`,
      `${gateway.api}/${visitor}`,
      `${gateway.events}/v1/events/${visitor}`,
    ]) {
      await fetch(url, asMember);
      await fetch(url, { method: 'DELETE', ...asMember });
    }
    const event = { event_id: 'e-log', event_name: 'seen', schema_version: 1, timestamp: new Date() };
    const batch = { events: [{ ...event, distinct_id: visitor }], sent_at: new Date() };
    await call('ingestEvents', { body: JSON.parse(JSON.stringify(batch)) });
    await call('identify', { body: { distinct_id: visitor, properties: { plan: 'pro' } } });
    await call('listMessages', { query: { distinct_id: visitor } });
    for (const path of [
      `/v1/shared-reports/${token}`,
      `/shared/${token}`,
      `/shared/${token}?from=${query}`,
    ]) {
      await leaveInMidAnswer(`${gateway.api}${path}`, { 'X-Service-Conversation-Token': `cvt_${query}` });
    }

    const used = [
      ...secrets,
      ...Object.values(SECRETS),
      z.object({ secret: z.string() }).parse(identity).secret,
      project.key,
      project.member,
      backings.s3.secretKey,
      'help-site-token-of-the-end-to-end-tests',
      'ai-key-of-the-end-to-end-tests',
      query,
      visitor,
      revokedKey,
    ];
    expect(secrets.size).toBeGreaterThan(2);
    const logs = [{ name: 'gateway', lines: gateway.lines }, ...instances];
    for (const { name, lines } of logs) {
      expect([name, lines.length]).not.toEqual([name, 0]);
      expect([name, lines.filter((line) => used.some((secret) => line.includes(secret)))]).toEqual([
        name,
        [],
      ]);
    }
    expect(gateway.lines).toContainEqual(expect.stringContaining('"/v1/shared-reports/"'));

    const requests = gateway.lines.filter((line) => line.includes('"logger":"http.log.access'));
    const logged = requests.map((line) => accessLine.parse(JSON.parse(line)));
    expect(logged).toContainEqual(
      expect.objectContaining({ request: { method: 'GET', uri: '/v1/flags', remote_ip: '127.0.0.0' } }),
    );
    // Not logged, because load balancers request it all the time.
    expect(logged.filter(({ request }) => request.uri.startsWith('/openapi.json'))).toEqual([]);
  });

  test('the metrics have a port of their own, and count requests as the alerts read them', async () => {
    const { api, events, metrics } = deployed().gateway;
    const counted = async () => {
      const text = await (await fetch(`${metrics}/metrics`)).text();
      const series =
        /^caddy_http_request_duration_seconds_count\{code="200",handler="subroute",method="GET",server="\w+"\} (\d+)$/gm;
      return [...text.matchAll(series)].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await counted();
    expect((await call('listPlans')).status).toBe(200);
    // The previous request for the metrics also counts.
    expect(await counted()).toBe(before + 2);
    const others = [`${metrics}/`, `${api}/metrics`, `${events}/metrics`];
    expect(await Promise.all(others.map(async (url) => (await fetch(url)).status))).toEqual([404, 404, 404]);
  });

  test('requests wait with RETRY_FOR while the only instance of a service is replaced', async () => {
    const [flags] = deployed().serving('flags');
    const ports = await gatewayPorts();
    const upstreams = new Map<ServiceName, string[]>([['flags', [flags?.url ?? '']]]);
    const patient = await startGateway(upstreams, ports, deployed().backings.folder, { RETRY_FOR: '60s' });
    try {
      await flags?.stop();
      const ask = apiClient(patient, project);
      const asked = Promise.all([
        ask('evaluateFlags', { query: { distinct_id: 'ada' } }),
        ask('evaluateOfrepFlags', { body: { context: { targetingKey: 'ada' } } }),
      ]);
      // Longer than the default timeout of requests.
      await sleep(6_000);
      await flags?.restart();
      expect((await asked).map(({ status }) => status)).toEqual([200, 200]);
    } finally {
      await patient.stop();
    }
  });

  test('paths of a service without instances answer 503 in their error shape, and other paths still work', async () => {
    const [flags] = deployed().serving('flags');
    await flags?.stop();
    const unavailable = await call('evaluateFlags', { query: { distinct_id: 'ada' } });
    expect({ status: unavailable.status, body: unavailable.body }).toEqual({
      status: 503,
      body: errorA(503),
    });
    expect(unavailable.headers.get('retry-after')).toBe('2');
    expect((await call('listPlans')).status).toBe(200);
    await flags?.restart();
  });
});

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
