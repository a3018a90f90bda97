import { openObjectStore } from '@switchboard/object-store';
import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { beforeAll, expect, test } from 'vitest';
import { png } from '../testing/files.ts';
import { useMessenger } from '../testing/messenger.ts';
import { type Visitor, visitorOf } from '../testing/visitor.ts';
import { createAttachmentsStore } from './store.ts';
import { createSweep } from './sweep.ts';

const HOUR = 3_600_000;

const messenger = await useMessenger({ env: { RATE_LIMITS_MULTIPLIER: '1000' } });
let visitor: Visitor;
beforeAll(async () => {
  visitor = visitorOf(messenger, await messenger.createProject());
});

/** Creates the service's sweep with a shifted clock. */
function sweepAt(shift: number, storage = openObjectStore({ folder: messenger.objectsFolder })) {
  return createSweep({
    store: createAttachmentsStore(messenger.database.drizzle),
    storage,
    clock: { now: () => new Date(Date.now() + shift) },
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
}

async function objects(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of openObjectStore({ folder: messenger.objectsFolder }).list('attachments/'))
    keys.push(key);
  return keys;
}

test('removes an unsent attachment, object and row, after 24 hours, and keeps a sent one', async () => {
  const conversation = await visitor.open();
  const [unsent, sent] = [
    await visitor.upload(conversation, png()),
    await visitor.upload(conversation, png()),
  ];
  await visitor.send(conversation, { body: '', attachmentIds: [sent.body.id] });
  expect(await sweepAt(24 * HOUR - 60_000).run()).toBe(0);
  expect((await visitor.download(conversation, unsent.body.id)).status).toBe(200);
  expect(await sweepAt(24 * HOUR + 1000).run()).toBe(1);
  expect((await visitor.download(conversation, unsent.body.id)).status).toBe(404);
  expect((await visitor.send(conversation, { body: 'x', attachmentIds: [unsent.body.id] })).status).toBe(409);
  expect((await visitor.download(conversation, sent.body.id)).status).toBe(200);
  expect((await objects()).map((key) => key.split('/').at(-1))).toEqual([sent.body.id]);
  const rows = await messenger.database.sql`select id from attachments`;
  expect(rows.map((row) => row['id'])).toEqual([sent.body.id]);
});

test('sweeps from the start of the service until it stops', async () => {
  const conversation = await visitor.open();
  const unsent = await visitor.upload(conversation, png());
  const sweep = sweepAt(24 * HOUR + 1000);
  sweep.start();
  await eventually(async () =>
    expect((await visitor.download(conversation, unsent.body.id)).status).toBe(404),
  );
  await sweep.stop();
});

test('keeps a sent attachment, or refuses and removes it, during a concurrent turn and sweep', async () => {
  const conversation = await visitor.open();
  const outcomes = { sent: 0, gone: 0 };
  for (let round = 0; round < 30; round++) {
    const { body: file } = await visitor.upload(conversation, png());
    const turn = () => visitor.send(conversation, { body: '', attachmentIds: [file.id] });
    // Ranges from 0 ms to longer than a turn takes on a busy machine.
    const pause = (round % 6) ** 2 * 8;
    const [answer] = await Promise.all([
      turn(),
      new Promise((resolve) => setTimeout(resolve, pause)).then(() => sweepAt(25 * HOUR).run()),
    ]);
    expect([201, 409]).toContain(answer.status);
    await sweepAt(25 * HOUR).run();
    const { status } = await visitor.download(conversation, file.id);
    expect(status).toBe(answer.status === 201 ? 200 : 404);
    outcomes[answer.status === 201 ? 'sent' : 'gone'] += 1;
  }
  expect(outcomes.sent).toBeGreaterThan(0);
});

test('refuses to send an attachment after its removal failed, and removes it in the next sweep', async () => {
  const conversation = await visitor.open();
  const { body: file } = await visitor.upload(conversation, png());
  const failing = openObjectStore({
    ...{ endpoint: 'http://127.0.0.1:1', bucket: 'bucket', region: 'x', accessKey: 'a', secretKey: 'b' },
  });
  await expect(sweepAt(25 * HOUR, failing).run()).rejects.toThrow();
  expect((await visitor.send(conversation, { body: 'x', attachmentIds: [file.id] })).status).toBe(409);
  expect(await sweepAt(25 * HOUR).run()).toBe(1);
  const rows = await messenger.database.sql`select id from attachments where id = ${file.id}`;
  expect(rows).toHaveLength(0);
});
