import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@switchboard/database';
import { eventually, postgresServer, s3Env, startRedis, startS3 } from '@switchboard/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { png } from './testing/files.ts';
import { sendTurns } from './testing/load.ts';
import { startMessenger, type TestMessengerOptions } from './testing/messenger.ts';
import { settings } from './testing/settings.ts';
import { visitorOf } from './testing/visitor.ts';

/** Tests with real backings, which are stopped, killed and restarted under load. */

const UNLIMITED = { RATE_LIMITS_MULTIPLIER: '10000' };

async function start(options: TestMessengerOptions) {
  const started = await startMessenger({ ...options, env: { ...UNLIMITED, ...options.env } });
  onTestFinished(started.stop);
  const project = await started.createProject();
  await started.manage('PUT', `/projects/${project.id}/messenger/config`, settings());
  const visitor = visitorOf(started, project);
  const config = async () => (await visitor.to('GET', '/v1/messenger/config')).status;
  const conversation = await visitor.open();
  const upload = async () => {
    const { status, body } = await visitor.upload(conversation, png());
    return [status, body.error?.code];
  };
  expect(await config()).toBe(200);
  expect(await upload()).toEqual([201, undefined]);
  return { ...started, project, visitor, conversation, config, upload };
}

/** Makes commits wait for the disk. By default, the test server acknowledges them earlier. */
async function waitForDisk(url: string): Promise<void> {
  const database = openDatabase({ url, applicationName: 'test' });
  await database.sql`alter database messenger set synchronous_commit to on`;
  await database.close();
}

const expectAllStored = (conversations: { accepted: string[]; stored: string[] }[]) => {
  for (const { accepted, stored } of conversations) expect(stored).toEqual(accepted);
};

test('answers 503 until PostgreSQL that stopped, froze or was killed is back, and loses or duplicates no turn', async () => {
  const postgres = await postgresServer(['messenger']);
  onTestFinished(async () => {
    await postgres.thaw().catch(() => undefined);
    await postgres.remove();
  });
  /** Freezes twice, because a process forked during the first round of signals is not stopped. */
  const freeze = async () => {
    await postgres.freeze();
    await postgres.freeze();
  };
  await waitForDisk(postgres.url('messenger'));
  const { visitor, config, upload, conversation, service } = await start({
    databaseUrl: postgres.url('messenger'),
  });
  const load = await sendTurns(visitor);
  const continues = async () => {
    const before = load.count();
    await eventually(() => expect(load.count()).toBeGreaterThan(before + 50), { withinMs: 20_000 });
    await eventually(async () => expect(await upload()).toEqual([201, undefined]));
  };
  await continues();
  for (const [fail, recover] of [
    [postgres.stop, postgres.start],
    [freeze, postgres.thaw],
    [postgres.kill, async () => undefined],
  ] as const) {
    await fail();
    if (fail !== postgres.kill) {
      await eventually(async () => expect((await visitor.read(conversation)).status).toBe(503));
      const refused = await visitor.send(conversation, 'x', { 'Idempotency-Key': 'x' });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([
        503,
        expect.stringMatching(/^\d+$/),
      ]);
      expect(await upload()).toEqual([503, 'UNAVAILABLE']);
      expect(await config()).toBe(200);
      expect(Object.keys(await service.app.health.problems())).toEqual(['database']);
    }
    await recover();
    await continues();
  }
  expect([...load.statuses].sort()).toEqual([201, 503]);
  expectAllStored(await load.stop());
});

test('answers ATTACHMENT_STORAGE for attachments, and continues turns, while the S3 server is stopped or killed', async () => {
  const s3 = await startS3();
  if (s3 === undefined) return;
  onTestFinished(s3.stop);
  const { visitor, upload, conversation } = await start({
    env: { OBJECTS_FOLDER: undefined, ...s3Env(s3) },
  });
  const { body: file } = await visitor.upload(conversation, png());
  const load = await sendTurns(visitor);
  for (const [fail, recover] of [
    [async () => s3.pause(), async () => s3.resume()],
    [s3.kill, s3.restart],
  ] as const) {
    await fail();
    const before = load.count();
    expect(await Promise.all([upload(), upload()])).toEqual([
      [502, 'ATTACHMENT_STORAGE'],
      [502, 'ATTACHMENT_STORAGE'],
    ]);
    const read = await visitor.download(conversation, file.id);
    expect([read.status, read.body.error.code]).toEqual([502, 'ATTACHMENT_STORAGE']);
    expect((await visitor.send(conversation, { body: '', attachmentIds: [file.id] })).status).toBeOneOf([
      201, 409,
    ]);
    expect(load.count()).toBeGreaterThan(before);
    await recover();
    await eventually(async () => expect(await upload()).toEqual([201, undefined]));
    expect((await visitor.download(conversation, file.id)).bytes.equals(png())).toBe(true);
  }
  expect([...load.statuses]).toEqual([201]);
  expectAllStored(await load.stop());
});

test('counts limits in memory, and continues turns, while Redis is stopped or killed', async () => {
  const redis = await startRedis();
  if (redis === undefined) return;
  onTestFinished(redis.kill);
  const { visitor, project, startInstance, ...rest } = await start({ env: { REDIS_URL: redis.url } });
  const load = await sendTurns(visitor);
  const { url } = await startInstance(
    { REDIS_URL: redis.url },
    { constants: { limits: { turnsPerConversation: 5 } } },
  );
  const limited = visitorOf(rest, project, url);
  for (const [fail, recover] of [
    [async () => redis.pause(), async () => redis.resume()],
    [redis.kill, redis.restart],
  ] as const) {
    await fail();
    const before = load.count();
    const conversation = await limited.open();
    const statuses = [];
    for (let count = 0; count < 6; count++) statuses.push((await limited.send(conversation, 'x')).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
    await eventually(() => expect(load.count()).toBeGreaterThan(before + 50));
    await recover();
    await sleep(300);
  }
  expect([...load.statuses]).toEqual([201]);
  expectAllStored(await load.stop());
});
