import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { createLogger, createMetrics, createRetention } from '@switchboard/runtime';
import { s3Env, startS3 } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { png } from '../testing/files.ts';
import { startMessenger, type TestMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { type Visitor, visitorOf } from '../testing/visitor.ts';
import { expiringData } from './retention.ts';
import { createRetentionStore } from './store.ts';

const DAY = 86_400_000;
const s3 = await startS3();
let messenger: TestMessenger;
let storage: ObjectStore;
let project: TestProject;
let visitor: Visitor;
beforeAll(async () => {
  messenger = await startMessenger({ env: s3 === undefined ? {} : s3Env(s3) });
  storage = openObjectStore(s3 ?? { folder: messenger.objectsFolder });
  project = await messenger.createProject();
  visitor = visitorOf(messenger, project);
});
afterAll(async () => {
  storage.close();
  await messenger.stop();
  await s3?.stop();
});

/** Removes data older than 30 days, with the clock set `days` ahead. */
function runIn(days: number, on: Pick<ObjectStore, 'delete'> = storage) {
  const store = createRetentionStore(messenger.database.drizzle);
  return createRetention({
    database: messenger.database,
    data: expiringData({ store, storage: on, conversationDays: 30, messageDays: 30 }),
    clock: { now: () => new Date(Date.now() + days * DAY) },
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: createMetrics('test'),
  }).run();
}

async function objects(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list('attachments/')) keys.push(key.split('/').at(-1) ?? '');
  return keys.sort();
}
const count = async (table: string) => {
  const [row] = await messenger.database.sql.unsafe(`select count(*)::int as n from ${table}`);
  return row?.['n'];
};

describe('expired conversations', () => {
  async function conversationWithFile(distinctId: string) {
    const conversation = await visitor.open({ distinctId });
    const { body: file } = await visitor.upload(conversation, png());
    await visitor.send(conversation, { body: 'Hello', attachmentIds: [file.id] });
    return { conversation, file: String(file.id) };
  }

  test('removes a silent conversation with its turns, files and token after the retention, and keeps others', async () => {
    const old = await conversationWithFile('old');
    const kept = await conversationWithFile('kept');
    await messenger.database
      .sql`update conversations set created_at = created_at - interval '40 days' where id = ${kept.conversation.id}`;
    await messenger.database
      .sql`update conversations set last_turn_at = last_turn_at - interval '2 hours' where id = ${old.conversation.id}`;
    await runIn(29.9);
    expect(await objects()).toEqual([old.file, kept.file].sort());
    await runIn(30 - 1 / 24);
    expect(await objects()).toEqual([kept.file]);
    expect((await visitor.read(old.conversation)).status).toBe(401);
    const { body } = await visitor.read(kept.conversation);
    expect(body.turns).toHaveLength(1);
    expect([await count('conversations'), await count('turns'), await count('attachments')]).toEqual([
      1, 1, 1,
    ]);
    await runIn(31);
    expect([await count('conversations'), await count('turns'), await count('attachments')]).toEqual([
      0, 0, 0,
    ]);
  });

  test('keeps the rows of a conversation while the object store fails', async () => {
    const { file } = await conversationWithFile('unlucky');
    await runIn(31, { delete: () => Promise.reject(new Error('no object store')) });
    expect([await count('conversations'), await objects()]).toEqual([1, [file]]);
    await runIn(31);
    expect([await count('conversations'), await objects()]).toEqual([0, []]);
  });

  test('keeps a conversation that gets a turn during its removal', async () => {
    const { conversation } = await conversationWithFile('busy');
    const { sql } = messenger.database;
    await sql.begin(async (tx) => {
      await tx`update conversations set last_turn_at = now() + interval '10 days' where id = ${conversation.id}`;
      await runIn(31);
    });
    await runIn(31);
    expect(await count('conversations')).toBe(1);
    await runIn(41);
    expect(await count('conversations')).toBe(0);
  });

  test('removes any number of conversations', async () => {
    await messenger.database.sql`
      insert into conversations (id, project_id, distinct_id, user_verified, token_hash, token_expires_at,
        turn_count, created_at, last_turn_at)
      select 'cnv_' || i, 'other', 'p' || i, false, '', now(), case i when 7 then 9000 else 1 end,
        now() - interval '50 days', now() - interval '50 days' + i * interval '1 second'
      from generate_series(1, 450) as i`;
    await messenger.database.sql`
      insert into turns (conversation_id, position, id, author_kind, body, created_at)
      select 'cnv_7', i, 'trn_' || i, 'visitor', '', now() from generate_series(1, 9000) as i`;
    await runIn(0);
    expect([await count('conversations'), await count('turns')]).toEqual([0, 0]);
  });
});

test('removes in-app messages with their recipients and reads, and accepts their key again', async () => {
  const send = async (body: object, key: string) => {
    const path = `/projects/${project.id}/messages`;
    const sent = await messenger.manage(
      'POST',
      path,
      { title: 'Hi', body: 'x', ...body },
      { 'Idempotency-Key': key },
    );
    return String(sent.body.id);
  };
  const toAll = await send({}, 'all');
  const toAda = await send({ distinctIds: ['ada', 'grace'] }, 'ada');
  const inbox = async () =>
    (await visitor.to('GET', '/v1/messages?distinct_id=ada')).body.messages.map(
      ({ id }: { id: string }) => id,
    );
  await messenger.database.sql`
    insert into reads (project_id, distinct_id, message_id)
    select ${project.id}, 'reader ' || i, ${toAll} from generate_series(1, 12000) as i`;
  await runIn(29);
  expect(new Set(await inbox())).toEqual(new Set([toAll, toAda]));
  await runIn(31);
  expect(await inbox()).toEqual([]);
  expect([
    await count('messages'),
    await count('recipients'),
    await count('reads'),
    await count('message_keys'),
  ]).toEqual([0, 0, 0, 0]);
  expect(await send({}, 'all')).not.toBe(toAll);
});

test('keeps counts of translated bytes for thirteen months', async () => {
  const month = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 7);
  await messenger.database.sql`
    insert into translated_bytes values ('acme', ${month(0)}, 1), ('acme', ${month(390)}, 1), ('acme', ${month(450)}, 1)`;
  await runIn(0);
  const rows = await messenger.database.sql`select month from translated_bytes order by 1`;
  expect(rows.map((row) => row['month'])).toEqual([month(390), month(0)]);
});
