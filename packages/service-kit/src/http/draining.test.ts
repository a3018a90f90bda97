import { Agent, get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from './server.ts';

async function startServer() {
  const hono = new Hono().get('/', (c) => c.json({ ok: true }));
  const server = await listen({ fetch: hono.fetch, host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    return server.close(0);
  });
  const ask = async () => {
    const request = get({ host: '127.0.0.1', port: server.port, agent });
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
  server.drain();
  expect(await ask()).toEqual({ body: { ok: true }, connection: 'close' });
  expect(await ask()).toEqual({ body: { ok: true }, connection: 'close' });
});
