import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import type { OperationEnv } from '../exchange/env.ts';
import { alreadySent } from './already-sent.ts';
import { listen } from './server.ts';

test('keeps the status and the body that a handler wrote itself', async () => {
  const hono = new Hono<OperationEnv>().all('*', (c) => {
    c.env.outgoing?.writeHead(418, { 'Content-Type': 'text/plain' }).end('a teapot');
    return alreadySent();
  });
  const server = await listen({ fetch: hono.fetch, host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close(0));
  const answer = await fetch(`http://127.0.0.1:${server.port}/`);
  expect([answer.status, await answer.text()]).toEqual([418, 'a teapot']);
});

test('keeps a status that is written after the handler returned', async () => {
  const hono = new Hono<OperationEnv>().all('*', (c) => {
    const { outgoing } = c.env;
    if (outgoing) outgoing.statusCode = 418;
    outgoing?.end('a teapot');
    return alreadySent();
  });
  const server = await listen({ fetch: hono.fetch, host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close(0));
  expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(418);
});
