import { type Database, openDatabase } from '@switchboard/database';
import { directoryRecord } from '@switchboard/directory';
import {
  type EventLog,
  EventLogUnavailable,
  type OutgoingRecord,
  openPostgresLog,
} from '@switchboard/event-log';
import { createLogger } from '@switchboard/runtime';
import { eventually, type TestDatabase, testDatabase } from '@switchboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPlansStore } from '../plans/store.ts';
import { catalogueMigrations } from '../schema/migrations.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createRelay, type Relay } from './relay.ts';

const TOPIC = { name: 'directory', partitions: 4, replication: 1, cleanup: 'compact' as const };

const report = (name: string) => directoryRecord('report', { projectId: 'shop', id: 'weekly', name });

let own: TestDatabase;
let database: Database;
let log: EventLog;
let outbox: Outbox;
let relays: Relay[];
beforeEach(async () => {
  own = await testDatabase({ migrations: [catalogueMigrations] });
  database = openDatabase({ url: own.url, applicationName: 'relay-test' });
  log = openPostgresLog({ url: own.url });
  outbox = createOutbox(database.drizzle, { maxWaitMs: 0 });
  relays = [];
});
afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop()));
  await log.close();
  await database.close();
  await own.drop();
});

async function startRelay(through: EventLog = log): Promise<void> {
  const logger = createLogger({ service: 'catalogue', level: 'silent' });
  const relay = createRelay({ database, log: through, topic: TOPIC, logger });
  relays.push(relay);
  await relay.start();
}

async function putPlan(tier: string): Promise<void> {
  const plan = { tier, cycle: 'monthly', trialDays: 0, priced: true };
  await outbox.change(database.drizzle, async (tx, announce) => {
    await createPlansStore(tx).upsert({ ...plan, entitlements: '{}' });
    announce([directoryRecord('plan', { ...plan, entitlements: {} })]);
  });
}

const allPublished = (withinMs = 10_000) =>
  eventually(async () => expect(await database.sql`select 1 from outbox`).toHaveLength(0), { withinMs });

async function publishedKeys(): Promise<string[]> {
  const rows = await database.sql`select key from event_log.records where topic = ${TOPIC.name} order by key`;
  return rows.map((row) => row['key']);
}

async function loseTopic(): Promise<void> {
  await database.sql.begin(async (tx) => {
    await tx`delete from event_log.records where topic = ${TOPIC.name}`;
    await tx`delete from event_log.partitions where topic = ${TOPIC.name}`;
    await tx`delete from event_log.topics where name = ${TOPIC.name}`;
  });
}

it('publishes records again, in order, when the log may not have stored them', async () => {
  const sent: (string | undefined)[] = [];
  const revisions: number[] = [];
  let failures = 2;
  const uncertain = {
    ...log,
    async publish(name: string, records: OutgoingRecord[]) {
      sent.push(...records.map(({ value }) => JSON.parse(value?.toString() ?? 'null')?.name));
      revisions.push(...records.map(({ headers }) => Number(headers['revision'])));
      const published = await log.publish(name, records);
      // The record is stored but the response is lost, as when the relay is killed or loses its connection here.
      if (failures-- > 0) throw new EventLogUnavailable('no answer');
      return published;
    },
  };
  for (const name of ['one', 'two', 'three']) {
    await outbox.change(database.drizzle, async (_tx, announce) => announce([report(name)]));
  }
  await startRelay(uncertain);
  await allPublished();
  expect(sent).toEqual(['one', 'two', 'three', 'one', 'two', 'three', 'one', 'two', 'three']);
  const [first = 0, second = 0, third = 0] = revisions;
  expect(first).toBeLessThan(second);
  expect(second).toBeLessThan(third);
  expect(revisions).toEqual([first, second, third, first, second, third, first, second, third]);
});

it('publishes every entry to a topic that was recreated unnoticed', async () => {
  await startRelay();
  await putPlan('basic');
  await putPlan('pro');
  await allPublished();
  await loseTopic();
  await log.createTopics([TOPIC]);
  await putPlan('gold');
  await eventually(async () =>
    expect(await publishedKeys()).toEqual(
      expect.arrayContaining(['plan:basic/monthly', 'plan:gold/monthly', 'plan:pro/monthly']),
    ),
  );
});

it('publishes every entry to a lost topic that two relays restore at once', async () => {
  await startRelay();
  await putPlan('basic');
  await putPlan('pro');
  await allPublished();
  await loseTopic();
  // This relay creates the topic, but reads its offsets only after the other relay had time to publish the change.
  await startRelay({
    ...log,
    async endOffsets(name) {
      await putPlan('gold');
      await allPublished(2_000).catch(() => undefined);
      return log.endOffsets(name);
    },
  });
  await eventually(async () =>
    expect(await publishedKeys()).toEqual(
      expect.arrayContaining(['plan:basic/monthly', 'plan:gold/monthly', 'plan:pro/monthly']),
    ),
  );
});
