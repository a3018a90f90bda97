import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, postgresServer } from '@switchboard/testkit';
import sqlClient from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { png } from './testing/files.ts';
import { sendTurns } from './testing/load.ts';
import { ownRedis, ownS3, s3Keys } from './testing/processes.ts';
import { settings } from './testing/settings.ts';
import { visitorOf } from './testing/visitor.ts';
import { startWorld, type WorldOptions } from './testing/world.ts';

/** Each with the real thing, under load, stopped, killed and started again. */

const unlimited = Object.fromEntries(
  [
    'OPENS_PER_ADDRESS_PER_MINUTE',
    'TURNS_PER_CONVERSATION_PER_MINUTE',
    'UPLOADS_PER_CONVERSATION_PER_MINUTE',
    'UPLOADS_PER_CONVERSATION_PER_HOUR',
    'UPLOADS_PER_ADDRESS_PER_MINUTE',
  ].map((name) => [name, '1000000']),
);

async function world(options: WorldOptions) {
  const started = await startWorld({ ...options, env: { ...unlimited, ...options.env } });
  onTestFinished(started.stop);
  const project = await started.createProject();
  await started.manage('PUT', `/projects/${project.id}/messenger/config`, settings());
  const visitor = visitorOf(started, project);
  /** Whatever else a visitor does, as status and code. */
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

/** The test's server answers a commit before it is written, unless told otherwise. */
async function keepCommits(url: string): Promise<void> {
  const sql = sqlClient(url, { max: 1 });
  await sql`alter database messenger set synchronous_commit to on`;
  await sql.end();
}

const same = (threads: { accepted: string[]; stored: string[] }[]) => {
  for (const { accepted, stored } of threads) expect(stored).toEqual(accepted);
};

test('Postgres stopped, frozen and killed: 503 until it is back, no turn lost or doubled', async () => {
  const postgres = await postgresServer(['messenger']);
  onTestFinished(async () => {
    await postgres.thaw().catch(() => undefined);
    await postgres.remove();
  });
  /** Twice: a process that was begun while the first signals were sent has none. */
  const freeze = async () => {
    await postgres.freeze();
    await postgres.freeze();
  };
  await keepCommits(postgres.url('messenger'));
  const { visitor, config, upload, conversation, service } = await world({
    databaseUrl: postgres.url('messenger'),
  });
  const load = await sendTurns(visitor);
  const goesOn = async () => {
    const before = load.count();
    await eventually(() => expect(load.count()).toBeGreaterThan(before + 50), { withinMs: 20_000 });
    await eventually(async () => expect(await upload()).toEqual([201, undefined]));
  };
  await goesOn();
  for (const [away, back] of [
    [postgres.stop, postgres.start],
    [freeze, postgres.thaw],
    [postgres.kill, async () => undefined],
  ] as const) {
    await away();
    if (away !== postgres.kill) {
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
    await back();
    await goesOn();
  }
  expect([...load.statuses].sort()).toEqual([201, 503]);
  expect(load.slowestMs()).toBeLessThan(10_000);
  same(await load.stop());
}, 120_000);

test('the S3 server stopped and killed: ATTACHMENT_STORAGE for files, turns go on', async () => {
  await using s3 = await ownS3();
  if (s3 === undefined) return;
  const { visitor, upload, conversation } = await world({
    withoutStorage: true,
    env: { S3_ENDPOINT: s3.url, ...s3Keys },
  });
  const { body: file } = await visitor.upload(conversation, png());
  const load = await sendTurns(visitor);
  for (const [away, back] of [
    [async () => s3.pause(), async () => s3.resume()],
    [s3.kill, s3.start],
  ] as const) {
    await away();
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
    await back();
    await eventually(async () => expect(await upload()).toEqual([201, undefined]));
    expect((await visitor.download(conversation, file.id)).bytes.equals(png())).toBe(true);
  }
  expect([...load.statuses]).toEqual([201]);
  same(await load.stop());
}, 60_000);

test('Redis stopped and killed: limits are counted in memory, turns go on', async () => {
  await using redis = await ownRedis();
  if (redis === undefined) return;
  const { visitor, project, startInstance, ...rest } = await world({ env: { REDIS_URL: redis.url } });
  const load = await sendTurns(visitor);
  const { url } = await startInstance({ REDIS_URL: redis.url, TURNS_PER_CONVERSATION_PER_MINUTE: '5' });
  const limited = visitorOf(rest, project, url);
  for (const [away, back] of [
    [async () => redis.pause(), async () => redis.resume()],
    [redis.kill, redis.start],
  ] as const) {
    await away();
    const before = load.count();
    const conversation = await limited.open();
    const statuses = [];
    for (let count = 0; count < 6; count++) statuses.push((await limited.send(conversation, 'x')).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
    await eventually(() => expect(load.count()).toBeGreaterThan(before + 50));
    await back();
    await sleep(300);
  }
  expect([...load.statuses]).toEqual([201]);
  same(await load.stop());
}, 60_000);
