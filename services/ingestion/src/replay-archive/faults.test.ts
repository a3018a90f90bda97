import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, listen, parseConfig, serviceContext, startService } from '@switchboard/service-kit';
import {
  eventually,
  type PostgresServer,
  postgresServer,
  type S3Server,
  startS3,
  testDatabase,
} from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ingestionSettings } from '../config.ts';
import { ingestionService } from '../service.ts';
import { type Archiving, chunkOf, newSession, startArchiving } from '../testing/archiving.ts';

const event = (timestamp: number) => ({ type: 3, timestamp });
const s3 = await startS3();

/** Sends so many chunks while something is wrong, then expects them all, each once. */
async function survive(archiving: Archiving, wrong: () => Promise<void>, right: () => Promise<void>) {
  const session = newSession();
  let seq = 0;
  const sendSome = async (count: number) => {
    for (let sent = 0; sent < count; sent++) {
      await archiving.send(chunkOf(session, seq, [event(seq)]));
      seq++;
    }
  };
  await sendSome(5);
  await archiving.until(session, { chunks: 5 });
  await wrong();
  await sendSome(20);
  await sleep(1500);
  await right();
  await sendSome(5);
  await archiving.until(session, { chunks: 30, duplicates: 0, conflicts: 0, complete: true });
  expect(await archiving.events(session)).toEqual(Array.from({ length: 30 }, (_, index) => event(index)));
}

describe.skipIf(s3 === undefined)('while the object store is away', () => {
  let server: S3Server;
  let archiving: Archiving;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    if (s3 === undefined) return;
    server = s3;
    const log = await testDatabase();
    drop = log.drop;
    archiving = await startArchiving({ log: { EVENT_LOG_DATABASE_URL: log.url }, s3: server });
  });
  afterAll(async () => {
    server?.resume();
    await archiving?.stop();
    await server?.stop();
    await drop?.();
  });

  it('chunks are accepted, and archived when it was killed and is back', async () => {
    await survive(
      archiving,
      () => server.kill(),
      () => server.restart(),
    );
  }, 60_000);

  it('chunks are accepted, and archived when it hung and goes on', async () => {
    await survive(
      archiving,
      async () => server.pause(),
      async () => server.resume(),
    );
  }, 60_000);

  it('events get 503, and a deletion hides the session at once and is finished later', async () => {
    const session = newSession();
    await archiving.send(chunkOf(session, 0, [event(0)]));
    await archiving.until(session, { chunks: 1 });
    await server.kill();
    const read = await archiving.manage('GET', archiving.path(session, '/events'));
    expect(read.status).toBe(503);
    expect(read.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await archiving.manage('DELETE', archiving.path(session))).status).toBe(503);
    expect((await archiving.manage('GET', archiving.path(session))).status).toBe(404);
    await server.restart();
    expect((await archiving.manage('DELETE', archiving.path(session))).status).toBe(204);
    const left: string[] = [];
    for await (const { key } of archiving.objects.list(`replays/project-1/${session}/`)) left.push(key);
    expect(left).toEqual([]);
  }, 60_000);

  it('a process that only archives is not ready, and is again afterwards', async () => {
    const context = serviceContext(ingestionService, { ...archiving.ingestion.env, ROLES: 'replay-archive' });
    const service = ingestionService.create(context);
    await startService(service, context);
    const alone = await listen({ fetch: service.app.hono.fetch, host: '127.0.0.1', port: 0 });
    const get = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${alone.port}${path}`);
      return { status: answer.status, text: await answer.text() };
    };
    try {
      expect((await get('/health/ready')).status).toBe(200);
      await server.kill();
      const ready = await get('/health/ready');
      expect(ready).toMatchObject({ status: 503, text: expect.stringContaining('object store') });
      expect((await fetch(`${archiving.ingestion.url}/health/ready`)).status).toBe(200);
      expect((await get('/v1/replay')).status).toBe(404);
      expect((await get('/metrics')).text).toContain('switchboard_replay_chunks_archived_total');
      await server.restart();
      await eventually(async () => expect((await get('/health/ready')).status).toBe(200));
    } finally {
      await alone.close(1000);
      await service.stop();
    }
  }, 60_000);
});

describe('while the archive’s database is away', () => {
  let server: PostgresServer;
  let archiving: Archiving;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    server = await postgresServer(['ingestion'], { durable: true });
    const log = await testDatabase();
    drop = log.drop;
    archiving = await startArchiving({
      log: { EVENT_LOG_DATABASE_URL: log.url },
      overrides: { DATABASE_URL: server.url('ingestion') },
    });
  }, 60_000);
  afterAll(async () => {
    await server?.thaw().catch(() => undefined);
    await archiving?.stop();
    await server?.remove();
    await drop?.();
  });

  it('chunks are accepted, and archived when it was killed and is back', async () => {
    await survive(
      archiving,
      () => server.stop(),
      () => server.start(),
    );
  }, 60_000);

  it('chunks are accepted, and archived when it hung and goes on', async () => {
    await survive(
      archiving,
      () => server.freeze(),
      () => server.thaw(),
    );
  }, 60_000);
});

it('without a place for objects a process that archives does not start, and says what to set', () => {
  const env = {
    REGION: 'eu',
    CONSOLE_URL: 'https://console.example.com',
    AUTH_ISSUER: 'issuer',
    AUTH_AUDIENCE: 'switchboard',
    AUTH_JWKS_URL: 'https://issuer.example.com/jwks.json',
    DATABASE_URL: 'postgres://localhost/ingestion',
  };
  const starts = (more: object) => {
    try {
      return parseConfig(ingestionSettings, { ...env, ...more }).ROLES.size > 0;
    } catch (error) {
      return error instanceof ConfigError ? error.message : error;
    }
  };
  expect(starts({ ROLES: 'http' })).toBe(true);
  expect(starts({ OBJECTS_FOLDER: '/objects' })).toBe(true);
  expect(starts({})).toMatch(/OBJECTS_FOLDER: .*S3_ENDPOINT.*ROLES=http/);
  expect(starts({ ROLES: 'replay-archive' })).toMatch(/OBJECTS_FOLDER/);
  expect(starts({ S3_ENDPOINT: 'http://localhost:1', ROLES: 'http' })).toMatch(/S3_BUCKET: required/);
  expect(starts({ ROLES: 'replays' })).toMatch(/ROLES: not a comma-separated list/);
});
