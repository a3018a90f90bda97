import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, parseConfig } from '@switchboard/runtime';
import {
  eventually,
  type PostgresServer,
  postgresServer,
  type S3Server,
  startS3,
} from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveSettings } from '../config.ts';
import { chunkOf, newSession } from '../testing/recording.ts';
import { type ArchiveHarness, startArchive } from '../testing/service.ts';

const event = (timestamp: number) => ({ type: 3, timestamp });
const s3 = await startS3();

/** Publishes chunks during a fault, then expects each of them exactly once. */
async function survive(archive: ArchiveHarness, begin: () => Promise<void>, end: () => Promise<void>) {
  const session = newSession();
  let seq = 0;
  const sendSome = async (count: number) => {
    for (let sent = 0; sent < count; sent++) {
      await archive.send(chunkOf(session, seq, [event(seq)]));
      seq++;
    }
  };
  await sendSome(5);
  await archive.until(session, { chunks: 5 });
  await begin();
  await sendSome(20);
  await sleep(1500);
  await end();
  await sendSome(5);
  await archive.until(session, { chunks: 30, duplicates: 0, conflicts: 0, complete: true });
  expect(await archive.events(session)).toEqual(Array.from({ length: 30 }, (_, index) => event(index)));
}

describe.skipIf(s3 === undefined)('an object store that is unavailable', () => {
  let server: S3Server;
  let archive: ArchiveHarness;
  beforeAll(async () => {
    if (s3 === undefined) return;
    server = s3;
    archive = await startArchive({ s3: server });
  });
  afterAll(async () => {
    server?.resume();
    await archive?.stop();
    await server?.stop();
  });

  it('keeps chunks in the log and archives them after the object store restarts', async () => {
    await survive(
      archive,
      () => server.kill(),
      () => server.restart(),
    );
  });

  it('keeps chunks in the log and archives them after the object store hangs', async () => {
    await survive(
      archive,
      async () => server.pause(),
      async () => server.resume(),
    );
  });

  it('answers reads of events with 503, and finishes a deletion later', async () => {
    const session = newSession();
    await archive.send(chunkOf(session, 0, [event(0)]));
    await archive.until(session, { chunks: 1 });
    await server.kill();
    const read = await archive.manage('GET', archive.path(session, '/events'));
    expect(read.status).toBe(503);
    expect(read.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await archive.manage('DELETE', archive.path(session))).status).toBe(503);
    expect((await archive.manage('GET', archive.path(session))).status).toBe(404);
    await server.restart();
    expect((await archive.manage('DELETE', archive.path(session))).status).toBe(204);
    const left: string[] = [];
    for await (const { key } of archive.objects.list(`replays/project-1/${session}/`)) left.push(key);
    expect(left).toEqual([]);
  });

  it('reports a consumer process as not ready until the object store is back', async () => {
    const consumer = await archive.start({ ROLES: 'replays' });
    const get = async (path: string) => {
      const answer = await fetch(`${consumer.url}${path}`);
      return { status: answer.status, text: await answer.text() };
    };
    try {
      expect((await get('/health/ready')).status).toBe(200);
      await server.kill();
      const ready = await get('/health/ready');
      expect(ready).toMatchObject({ status: 503, text: expect.stringContaining('object store') });
      expect((await fetch(`${archive.url}/health/ready`)).status).toBe(200);
      expect((await get('/management/v1/projects/project-1/replays')).status).toBe(404);
      expect((await get('/metrics')).text).toContain('switchboard_replay_chunks_archived_total');
      await server.restart();
      await eventually(async () => expect((await get('/health/ready')).status).toBe(200));
    } finally {
      await consumer.stop();
    }
  });
});

describe('a database that is unavailable', () => {
  let server: PostgresServer;
  let archive: ArchiveHarness;
  beforeAll(async () => {
    server = await postgresServer(['archive'], { durable: true });
    archive = await startArchive({ databaseUrl: server.url('archive') });
  });
  afterAll(async () => {
    await server?.thaw().catch(() => undefined);
    await archive?.stop();
    await server?.remove();
  });

  it('keeps chunks in the log and archives them after the database restarts', async () => {
    await survive(
      archive,
      () => server.stop(),
      () => server.start(),
    );
  });

  it('keeps chunks in the log and archives them after the database hangs', async () => {
    await survive(
      archive,
      () => server.freeze(),
      () => server.thaw(),
    );
  });
});

it('does not start without an object store, and names the settings', () => {
  const env = {
    REGION: 'eu',
    CONSOLE_URL: 'https://console.example.com',
    AUTH_ISSUER: 'issuer',
    AUTH_AUDIENCE: 'switchboard',
    AUTH_JWKS_URL: 'https://issuer.example.com/jwks.json',
    DATABASE_URL: 'postgres://localhost/archive',
  };
  const starts = (more: object) => {
    try {
      return parseConfig(archiveSettings, { ...env, ...more }).ROLES.size > 0;
    } catch (error) {
      return error instanceof ConfigError ? error.message : error;
    }
  };
  expect(starts({ OBJECTS_FOLDER: '/objects' })).toBe(true);
  expect(starts({})).toMatch(/OBJECTS_FOLDER: this or S3_ENDPOINT is required/);
  expect(starts({ ROLES: 'replays' })).toMatch(/OBJECTS_FOLDER/);
  expect(starts({ S3_ENDPOINT: 'http://localhost:1', ROLES: 'http' })).toMatch(/S3_BUCKET: required/);
  expect(starts({ ROLES: 'replay-archive' })).toMatch(/ROLES: not a comma-separated list/);
});
