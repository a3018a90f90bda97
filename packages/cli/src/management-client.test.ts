import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProjectKey, getFlag, putFlag, putPlan } from '@switchboard/contracts';
import { afterEach, expect, test } from 'vitest';
import { createManagementClient, ManagementError } from './management-client.ts';

let server: Server | undefined;
afterEach(() => server?.close());

type Reply = { status: number; headers?: Record<string, string>; body?: unknown } | 'cut';

/** A service that gives these answers one after the other, the last from then on. */
async function serviceAnswering(...replies: Reply[]) {
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const reply = replies[Math.min(asked.length, replies.length) - 1] ?? 'cut';
    if (reply === 'cut') return void request.socket.destroy();
    response.writeHead(reply.status, reply.headers).end(JSON.stringify(reply.body ?? {}));
  });
  await new Promise<void>((resolve) => void server?.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = (retryForMs = 10_000) =>
    createManagementClient({ token: 't', addressOf: () => url, retryForMs });
  return { asked, client };
}

const said = (message: string) => ({ error: { code: 'X', message } });
const flag = { params: { projectId: 'p', key: 'a/b' } };
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error: unknown) => {
      expect(error).toBeInstanceOf(ManagementError);
      return (error as ManagementError).message;
    },
  );

test('429 and 503 are retried', async () => {
  const { asked, client } = await serviceAnswering(
    { status: 503, headers: { 'Retry-After': '0' } },
    { status: 429, headers: { 'Retry-After': '0' } },
    { status: 200, body: { fine: true } },
  );
  expect(await client().call(getFlag, flag)).toEqual({ fine: true });
  expect(asked).toEqual(Array(3).fill('GET /management/v1/projects/p/flags/a%2Fb'));
});

test('a Retry-After beyond the retry time fails at once', async () => {
  const { asked, client } = await serviceAnswering({
    status: 503,
    headers: { 'Retry-After': '3600' },
    body: said('unavailable'),
  });
  expect(await refusal(client().call(getFlag, flag))).toContain('unavailable');
  expect(asked).toHaveLength(1);
});

test('a write is retried until its service knows the project; a read that gets 404 is not', async () => {
  const { asked, client } = await serviceAnswering({ status: 404 }, { status: 200 });
  await client().call(putFlag, { ...flag, body: {} });
  expect(asked).toHaveLength(2);
  const other = await serviceAnswering({ status: 404, body: said('Flag not found.') });
  expect(await refusal(other.client().call(getFlag, flag))).toContain('Flag not found');
  expect(other.asked).toHaveLength(1);
});

test('a call whose answer was lost is retried, unless each call creates something', async () => {
  const { asked, client } = await serviceAnswering('cut', { status: 200 });
  await client().call(putPlan, { params: { tier: 't', cycle: 'c' }, body: {} });
  expect(asked).toHaveLength(2);
  const other = await serviceAnswering('cut');
  expect(await refusal(other.client().call(createProjectKey, { params: { projectId: 'p' } }))).toMatch(
    /^POST .*: catalogue cannot be reached at http/,
  );
  expect(other.asked).toHaveLength(1);
});

test.each([
  [401, 'SWITCHBOARD_TOKEN'],
  [403, 'service.manage'],
])('status %i comes with what to do', async (status, tip) => {
  const { client } = await serviceAnswering({ status, body: said('No.') });
  const message = await refusal(client().call(getFlag, flag));
  expect(message).toMatch(/^GET \/management\/v1\/projects\/p\/flags\/a%2Fb: No\. \(/);
  expect(message).toContain(tip);
});

test('an unreachable service is named with its address', async () => {
  const gone = createManagementClient({ token: 't', addressOf: () => 'http://127.0.0.1:1', retryForMs: 0 });
  expect(await refusal(gone.call(getFlag, flag))).toContain('flags cannot be reached at http://127.0.0.1:1');
});
