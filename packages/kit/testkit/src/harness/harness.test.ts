import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { listenOnFreePort } from '../ports.ts';
import { openHarness } from './harness.ts';
import type { Env } from './program.ts';
import type { StartOptions } from './service.ts';

const migrations = [{ folder: fileURLToPath(new URL('../example-migrations', import.meta.url)) }];

/** Defines a service that returns the settings it was started with, and records when it stops. */
function echo(name: string, stopped: string[]) {
  return {
    name,
    migrations,
    async start(env: Env, { clock }: StartOptions = {}) {
      const server = createServer((request, response) => {
        const { method, url, headers } = request;
        response.setHeader('Content-Type', 'application/json; charset=utf-8');
        const { authorization } = headers;
        response.end(JSON.stringify({ method, url, authorization, now: clock?.now(), extra: env['EXTRA'] }));
      });
      const url = `http://127.0.0.1:${await listenOnFreePort(server)}`;
      return {
        url,
        env,
        async stop() {
          stopped.push(env['EXTRA'] ?? name);
          server.closeAllConnections();
          server.close();
          await once(server, 'close');
        },
      };
    },
  };
}

it('starts services on their own databases, calls them as an operator, and stops everything in order', async () => {
  const closed: string[] = [];
  const harness = await openHarness({
    services: { one: echo('one', closed), two: echo('two', closed) },
    env: { REGION: 'us' },
    clock: { now: () => new Date(0) },
  });
  const one = await harness.start('one');
  await harness.start('two');
  const another = await harness.start('one', { EXTRA: 'another' });
  harness.defer(async () => closed.push('deferred first'));
  harness.defer(async () => closed.push('deferred second'));

  expect(one.env).toMatchObject({
    REGION: 'us',
    LOG_LEVEL: 'silent',
    AUTH_ISSUER: harness.tokens.issuer,
    ...harness.logEnv,
  });
  expect(another.env['DATABASE_URL']).toBe(one.env['DATABASE_URL']);
  expect(await harness.databaseUrl('two')).not.toBe(one.env['DATABASE_URL']);
  const sql = postgres(await harness.databaseUrl('one'), { max: 1 });
  expect(await sql`select id from example`).toEqual([]);
  await sql.end();

  expect(harness.url('one')).toBe(one.url);
  expect(() => harness.url('three')).toThrow('three is not started');
  const called = await harness.call('two', 'POST', '/path', { token: 'token', body: { a: 1 } });
  expect(called).toMatchObject({
    status: 200,
    body: { method: 'POST', url: '/path', authorization: 'Bearer token', now: '1970-01-01T00:00:00.000Z' },
  });
  const managed = await harness.manage('one', 'PUT', '/things/1', {});
  expect(managed.body).toMatchObject({ method: 'PUT', url: '/management/v1/things/1' });
  expect(managed.body.authorization).toMatch(/^Bearer ey/);

  await harness.stop();
  expect(closed).toEqual(['another', 'two', 'one', 'deferred second', 'deferred first']);
  expect(existsSync(harness.folder)).toBe(false);
  const gone = postgres(await harness.databaseUrl('one'), { max: 1 });
  onTestFinished(() => gone.end());
  await expect(gone`select 1`).rejects.toThrow(/does not exist/);
});

it('uses existing databases and an event log', async () => {
  const harness = await openHarness({
    services: { one: echo('one', []) },
    databases: { one: 'postgres://given.example/one' },
    log: { kafka: ['a.example:9092', 'b.example:9092'] },
  });
  onTestFinished(() => harness.stop());
  const { env } = await harness.start('one', { OBJECTS_FOLDER: undefined });
  expect(env).toMatchObject({
    DATABASE_URL: 'postgres://given.example/one',
    KAFKA_BROKERS: 'a.example:9092,b.example:9092',
    OBJECTS_FOLDER: undefined,
  });
  expect(env).not.toHaveProperty('EVENT_LOG_DATABASE_URL');
});
