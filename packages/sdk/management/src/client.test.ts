import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type ClientOptions, createClient, isNotFound, ManagementError } from './index.ts';

type Reply = { status: number; headers?: Record<string, string>; body?: unknown } | 'cut' | 'silent';

/** Starts a service that returns these responses in sequence, then repeats the last. */
async function serviceAnswering(...replies: Reply[]) {
  const asked: { call: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const call = `${request.method} ${request.url}`;
    asked.push({ call, headers: request.headers, body: await buffer(request) });
    const reply = replies[Math.min(asked.length, replies.length) - 1] ?? 'cut';
    if (reply === 'silent') return;
    if (reply === 'cut') return void request.socket.destroy();
    response.writeHead(reply.status, reply.headers);
    response.end(reply.status === 204 ? undefined : JSON.stringify(reply.body ?? {}));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = (options: Partial<ClientOptions> = {}) => createClient({ token: 't', url, ...options });
  return { asked, calls: () => asked.map(({ call }) => call), url, client };
}

const said = (message: string) => ({ error: { code: 'X', message } });
const now = { 'Retry-After': '0' };
const flag = { params: { projectId: 'p', key: 'a/b' } };
const definition = { enabled: true, rolloutPercentage: 100 };
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error: unknown) => {
      expect(error).toBeInstanceOf(ManagementError);
      return error as ManagementError;
    },
  );

test('retries 429 and 503 with the current token', async () => {
  const { asked, calls, client } = await serviceAnswering(
    { status: 503, headers: now },
    { status: 429, headers: now },
    { status: 200, body: { key: 'a/b' } },
  );
  let tokens = 0;
  const token = async () => `token-${++tokens}`;
  expect(await client({ token }).call('getFlag', flag)).toEqual({ key: 'a/b' });
  expect(calls()).toEqual(Array(3).fill('GET /management/v1/projects/p/flags/a%2Fb'));
  expect(asked.map(({ headers }) => headers.authorization)).toEqual(
    [1, 2, 3].map((n) => `Bearer token-${n}`),
  );
});

test('fails at once for a Retry-After beyond the retry time, with every detail of the response', async () => {
  const { asked, client } = await serviceAnswering({
    status: 503,
    headers: { 'Retry-After': '3600', 'X-Request-Id': 'req-1' },
    body: { error: { code: 'UNAVAILABLE', message: 'unavailable' } },
  });
  const error = await refusal(client().call('getFlag', flag));
  expect(error.message).toBe('GET /management/v1/projects/p/flags/a%2Fb: unavailable');
  expect(error).toMatchObject({
    status: 503,
    code: 'UNAVAILABLE',
    requestId: 'req-1',
    retryAfterMs: 3_600_000,
  });
  expect(asked).toHaveLength(1);
});

test('retries a write until its service knows the project, and does not retry a read that gets 404', async () => {
  const { asked, client } = await serviceAnswering({ status: 404 }, { status: 200 });
  await client().call('putFlag', { ...flag, body: definition });
  expect(asked).toHaveLength(2);
  const other = await serviceAnswering({ status: 404, body: said('Flag not found.') });
  const error = await refusal(other.client().call('getFlag', flag));
  expect([isNotFound(error), error.message]).toEqual([true, expect.stringContaining('Flag not found.')]);
  expect(other.asked).toHaveLength(1);
});

test('retries a call with a lost response, unless each call creates something', async () => {
  const { asked, client } = await serviceAnswering('cut', { status: 204 });
  expect(await client().call('deletePlan', { params: { tier: 't', cycle: 'c' } })).toBeUndefined();
  expect(asked).toHaveLength(2);
  const other = await serviceAnswering('cut');
  const error = await refusal(other.client().call('createProjectKey', { params: { projectId: 'p' } }));
  expect(error.message).toMatch(/^POST .*: catalogue cannot be reached at http/);
  expect(error.isUncertain).toBe(true);
  expect(other.asked).toHaveLength(1);
});

test('retries a call with an idempotency key with the same key', async () => {
  const { asked, client } = await serviceAnswering('cut', { status: 201, body: { id: 'msg_1' } });
  const body = { audience: { distinctIds: ['ada'] }, body: 'Hello' };
  await client().untyped.call('sendMessage', { params: { projectId: 'p' }, body });
  const keys = asked.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
  await client().untyped.call('sendMessage', {
    params: { projectId: 'p' },
    headers: { 'Idempotency-Key': 'mine' },
    body,
  });
  expect(asked.at(-1)?.headers['idempotency-key']).toBe('mine');
});

test('reads a list page after page, as far as it is requested', async () => {
  const { calls, client } = await serviceAnswering(
    { status: 200, body: { companies: [{ id: 'a' }, { id: 'b' }], nextCursor: 'a&b' } },
    { status: 200, body: { companies: [{ id: 'c' }], nextCursor: null } },
  );
  const companies = client().list('listCompanies');
  expect((await companies.next()).value?.id).toBe('a');
  expect(calls()).toEqual(['GET /management/v1/companies']);
  const rest: string[] = [];
  for await (const { id } of companies) rest.push(id);
  expect(rest).toEqual(['b', 'c']);
  expect(calls()).toEqual(['GET /management/v1/companies', 'GET /management/v1/companies?cursor=a%26b']);
});

test('ends a request without a response, and a call that is aborted', async () => {
  const { asked, client } = await serviceAnswering('silent');
  const slow = client({ timeoutMs: 50, retryForMs: 0 });
  expect((await refusal(slow.call('getFlag', flag))).message).toContain('no answer within 0.05 s');
  const signal = AbortSignal.timeout(50);
  await expect(client().call('getFlag', flag, { signal })).rejects.toBe(await aborted(signal));
  expect(asked).toHaveLength(2);
  const busy = await serviceAnswering({ status: 503, headers: { 'Retry-After': '10' } });
  const waiting = AbortSignal.timeout(50);
  await expect(busy.client().call('getFlag', flag, { signal: waiting })).rejects.toBe(await aborted(waiting));
});

const aborted = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

test('refuses a redirect, so that the token stays with its server', async () => {
  const elsewhere = await serviceAnswering({ status: 200 });
  const { client } = await serviceAnswering({ status: 302, headers: { Location: elsewhere.url } });
  expect((await refusal(client({ retryForMs: 0 }).call('getFlag', flag))).message).toContain('redirect');
  expect(elsewhere.asked).toEqual([]);
});

test.each(['.', '..'])('refuses %s in a path, which would become that of another call', async (key) => {
  const { calls, client } = await serviceAnswering({ status: 200 });
  const { message } = await refusal(client().call('getFlag', { params: { projectId: 'p', key } }));
  expect(message).toBe(`key is "${key}", which no path can have`);
  expect(calls()).toEqual([]);
});

test('sends a file unchanged', async () => {
  const { asked, client } = await serviceAnswering({ status: 200, body: { url: '/avatar' } });
  const params = { projectId: 'p', userId: 'u' };
  await client().call('putTeammateAvatar', { params, body: new Uint8Array([0, 255, 1]) });
  expect(asked[0]?.headers['content-type']).toBe('application/octet-stream');
  expect([...(asked[0]?.body ?? [])]).toEqual([0, 255, 1]);
});

test('names the address of an unreachable service', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  const gone = createClient({ token: 't', url: (service) => `${url}/${service}/`, retryForMs: 0 });
  const error = await refusal(gone.call('getFlag', flag));
  expect(error.message).toContain(`flags cannot be reached at ${url}/flags (ECONNREFUSED)`);
  expect(error.isUncertain).toBe(false);
});
