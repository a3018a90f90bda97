import { type Database, openDatabase, tryLock } from '@switchboard/database';
import {
  type EventLog,
  EventLogUnavailable,
  type OutgoingRecord,
  openPostgresLog,
} from '@switchboard/event-log';
import { eventually, type TestDatabase, testDatabase } from '@switchboard/testkit';
import { asc } from 'drizzle-orm';
import { bigint, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { oldestAgeSeconds, removeRows } from './queue-table.ts';
import { createRelay, type Relay } from './relay.ts';
import { offsetsTable } from './schema.ts';

const TOPIC = { name: 'things', partitions: 4, replication: 1, cleanup: 'compact' as const };
const BATCH_SIZE = 3;

const queue = pgTable('queue', {
  id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  key: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

let own: TestDatabase;
let database: Database;
let log: EventLog;
let relays: Relay[];
let failures: unknown[];
let warnings: object[];
beforeEach(async () => {
  own = await testDatabase();
  database = openDatabase({ url: own.url, applicationName: 'relay-test' });
  log = openPostgresLog({ url: own.url });
  relays = [];
  failures = [];
  warnings = [];
  await database.sql`create table things (key text primary key)`;
  await database.sql`
    create table queue (id bigint primary key generated always as identity, key text not null,
      created_at timestamptz not null default now())`;
  await database.sql`create table offsets (log_partition integer primary key, next_offset bigint not null)`;
});
afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop()));
  await log.close();
  await database.close();
  await own.drop();
});

function startRelay({ through = log, isRepublished = true, isWoken = false, everyMs = 500 } = {}): Relay {
  const relay = createRelay({
    db: database.drizzle,
    log: through,
    topic: TOPIC,
    source: (tx) => ({
      oldest: (limit) => tx.select().from(queue).orderBy(asc(queue.id)).limit(limit),
      markPublished: (rows) =>
        removeRows(
          tx,
          queue,
          rows.map(({ id }) => id),
        ),
    }),
    ...(isRepublished && {
      republication: {
        offsets: offsetsTable('offsets'),
        publishAll: async (tx) => (await tx.execute('insert into queue (key) select key from things')).count,
      },
    }),
    ...(isWoken && { listen: (wake) => database.listen('queue', wake, wake) }),
    recordOf: ({ key }, partitions) => ({
      partition: key.charCodeAt(0) % partitions,
      key,
      value: Buffer.from(key),
      headers: {},
    }),
    batchSize: BATCH_SIZE,
    everyMs,
    logger: {
      warn: (fields) => void warnings.push(fields),
      failed: (task, error) => void failures.push([task, error]),
    },
  });
  relays.push(relay);
  relay.start();
  return relay;
}

async function change(...keys: string[]): Promise<void> {
  for (const key of keys) {
    await database.sql.begin(async (tx) => {
      await tx`insert into things values (${key}) on conflict do nothing`;
      await tx`insert into queue (key) values (${key})`;
    });
  }
}

const allPublished = (withinMs = 10_000) =>
  eventually(async () => expect(await database.sql`select 1 from queue`).toHaveLength(0), { withinMs });

async function publishedKeys(): Promise<string[]> {
  const rows = await database.sql`
    select key from event_log.records where topic = ${TOPIC.name} order by partition, "offset"`;
  return rows.map((row) => row['key']);
}

async function loseTopic(): Promise<void> {
  await database.sql.begin(async (tx) => {
    await tx`delete from event_log.records where topic = ${TOPIC.name}`;
    await tx`delete from event_log.partitions where topic = ${TOPIC.name}`;
    await tx`delete from event_log.topics where name = ${TOPIC.name}`;
  });
}

const hasAll = (...keys: string[]) =>
  eventually(async () => expect(await publishedKeys()).toEqual(expect.arrayContaining(keys)));

it('publishes records again, in order, when the log may not have stored them', async () => {
  const sent: (string | null)[] = [];
  let lost = 2;
  const through = {
    ...log,
    async publish(name: string, records: OutgoingRecord[]) {
      sent.push(...records.map(({ key }) => key));
      const published = await log.publish(name, records);
      // The record is stored but the response is lost, as when the relay is killed or loses its connection here.
      if (lost-- > 0) throw new EventLogUnavailable('no answer');
      return published;
    },
  };
  await change('a', 'e', 'i', 'm');
  startRelay({ through, isRepublished: false });
  await allPublished();
  expect(sent).toEqual(['a', 'e', 'i', 'a', 'e', 'i', 'a', 'e', 'i', 'm']);
  expect(failures).toEqual(Array(2).fill(['publish things', expect.any(EventLogUnavailable)]));
});

it('publishes every row to a new topic, once, before it publishes changes', async () => {
  await database.sql`insert into things values ('a'), ('e'), ('i'), ('m')`;
  startRelay();
  await hasAll('a', 'e', 'i', 'm');
  await change('q');
  await allPublished();
  expect(await publishedKeys()).toEqual(['a', 'e', 'i', 'm', 'q']);
  expect(warnings).toEqual([{ topic: 'things', rows: 4 }]);
});

it('publishes every row to a topic that was recreated unnoticed', async () => {
  startRelay();
  await change('a', 'b');
  await allPublished();
  await loseTopic();
  await log.createTopics([TOPIC]);
  await change('c');
  await hasAll('a', 'b', 'c');
});

it('publishes every row to a lost topic that two relays restore at once', async () => {
  startRelay();
  await change('a', 'b');
  await allPublished();
  await loseTopic();
  // This relay creates the topic, but reads its offsets only after the other relay had time to publish the change.
  startRelay({
    through: {
      ...log,
      async endOffsets(name) {
        await change('c');
        await allPublished(2_000).catch(() => undefined);
        return log.endOffsets(name);
      },
    },
  });
  await hasAll('a', 'b', 'c');
});

it('publishes every row to a topic that is lost after its end was read', async () => {
  let isLost = false;
  startRelay({
    through: {
      ...log,
      async publish(name, records) {
        if (records.some(({ key }) => key === 'c') && !isLost) {
          isLost = true;
          await loseTopic();
          await log.createTopics([TOPIC]);
        }
        return log.publish(name, records);
      },
    },
  });
  await change('a', 'g');
  await allPublished();
  await change('c');
  await hasAll('a', 'c', 'g');
});

it('publishes only new changes to a recreated topic without republication', async () => {
  startRelay({ isRepublished: false });
  await change('a');
  await allPublished();
  await loseTopic();
  await change('e');
  await allPublished();
  expect(await publishedKeys()).toEqual(['e']);
});

it('publishes nothing while another process publishes, and continues when it ends', async () => {
  await change('a', 'e', 'i', 'm');
  expect(await oldestAgeSeconds(database.drizzle, queue)).toBeGreaterThan(0);
  await database.drizzle.transaction(async (tx) => {
    expect(await tryLock(tx, 'publish things')).toBe(true);
    const relay = startRelay({ isRepublished: false });
    await eventually(async () => expect(await log.endOffsets(TOPIC.name)).toHaveLength(4));
    await relay.stop();
    expect(await publishedKeys()).toEqual([]);
  });
  startRelay({ isRepublished: false });
  await allPublished();
  expect(await publishedKeys()).toEqual(['a', 'e', 'i', 'm']);
  expect(await oldestAgeSeconds(database.drizzle, queue)).toBe(0);
});

it('publishes changes that it is notified of', async () => {
  startRelay({ isWoken: true, isRepublished: false });
  await change('a');
  await allPublished();
  await database.sql`insert into queue (key) values ('e')`;
  await database.sql`select pg_notify('queue', '')`;
  await allPublished();
  expect(await publishedKeys()).toEqual(['a', 'e']);
});

it('publishes changes when it is woken, also if it is woken while it publishes', async () => {
  const relay = startRelay({ isRepublished: false, everyMs: 600_000 });
  await eventually(async () => expect(await log.endOffsets(TOPIC.name)).toHaveLength(4));
  for (const key of ['a', 'e', 'i']) {
    await change(key);
    relay.wake();
  }
  await allPublished();
  expect(await publishedKeys()).toEqual(['a', 'e', 'i']);
});
