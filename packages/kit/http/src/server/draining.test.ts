import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { listen } from './server.ts';

async function startServer() {
  const hono = new Hono().all('*', (c) => c.json({ ok: true }));
  const server = await listen({ fetch: hono.fetch, host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    return server.close(0);
  });
  const ask = async (path = '/') => {
    const request = get({ host: '127.0.0.1', port: server.port, path, agent });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve).on('error', reject);
    });
    return { body: await json(response), connection: response.headers.connection };
  };
  return { server, ask };
}

test('a draining server responds and closes connections', async () => {
  const { server, ask } = await startServer();
  expect(await ask()).toEqual({ body: { ok: true }, connection: 'keep-alive' });
  void server.drain(1_000);
  expect(await ask()).toEqual({ body: { ok: true }, connection: 'close' });
  expect(await ask()).toEqual({ body: { ok: true }, connection: 'close' });
});

/** Sends requests repeatedly until told to stop. Returns the time of the last one. */
async function keepAsking(ask: () => Promise<unknown>, isOver: () => boolean): Promise<number> {
  let askedAt = 0;
  while (!isOver()) {
    askedAt = performance.now();
    await ask();
    await sleep(10);
  }
  return askedAt;
}

const past = (ms: number) => {
  const until = performance.now() + ms;
  return () => performance.now() > until;
};

test('a server drains for longer while requests arrive', async () => {
  const { server, ask } = await startServer();
  const drained = server.drain(400).then(() => performance.now());
  const askedAt = await keepAsking(ask, past(700));
  expect(await drained).toBeGreaterThan(askedAt + 390);
});

test('a server drains no longer for health checks', async () => {
  const { server, ask } = await startServer();
  const isOver = past(4_000);
  const asking = keepAsking(() => ask('/health/serving'), isOver);
  await server.drain(200);
  expect(isOver()).toBe(false);
  await asking;
});

test('a server drains for a bounded time, whatever arrives', async () => {
  const { server, ask } = await startServer();
  let isDrained = false;
  const asking = keepAsking(ask, () => isDrained);
  await expect(server.drain(200)).resolves.toBeUndefined();
  isDrained = true;
  await asking;
});

/** Sends a request, and another on the same connection while the server's thread is busy. */
const CLIENT = `
  const { parentPort, workerData: port } = require('node:worker_threads');
  const socket = require('node:net').connect(port, '127.0.0.1');
  let received = '';
  const ask = () => socket.write('POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 2\\r\\n\\r\\n{}');
  socket.on('error', () => undefined).on('data', (data) => {
    received += data;
    if (received.split('{"ok":true}').length === 2) parentPort.postMessage('answered');
  });
  socket.on('close', () => parentPort.postMessage(received));
  parentPort.on('message', () => setTimeout(ask, 200));
  ask();
`;

test('a draining server answers what arrived on an idle connection while the process was busy', async () => {
  const { server } = await startServer();
  const client = new Worker(CLIENT, { eval: true, workerData: server.port });
  onTestFinished(async () => void (await client.terminate()));
  await once(client, 'message');
  const received = once(client, 'message');
  client.postMessage('ask again');
  const closed = server.drain(50).then(() => server.close(5_000));
  const until = performance.now() + 600;
  while (performance.now() < until) Math.sqrt(2);
  const [text] = z.tuple([z.string()]).parse(await received);
  expect(text.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
  await closed;
});
