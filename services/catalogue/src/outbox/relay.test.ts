import { openDatabase } from '@switchboard/database';
import { directoryRecord } from '@switchboard/directory';
import { EventLogUnavailable, type OutgoingRecord, openPostgresLog } from '@switchboard/event-log';
import { createLogger } from '@switchboard/service-kit';
import { eventually, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogueMigrations } from '../schema/migrations.ts';
import { createOutbox } from './outbox.ts';
import { createRelay } from './relay.ts';

const topic = { name: 'directory', partitions: 4, replication: 1, cleanup: 'compact' as const };
const report = (name: string) => directoryRecord('report', { projectId: 'shop', id: 'weekly', name });

let own: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  own = await testDatabase({ migrations: [catalogueMigrations] });
});
afterAll(() => own.drop());

it('publishes again, and in order, what it could not be sure of', async () => {
  const database = openDatabase({ url: own.url, applicationName: 'relay-test' });
  const log = openPostgresLog({ url: own.url });
  const sent: (string | undefined)[] = [];
  const revisions: number[] = [];
  let failures = 2;
  const uncertain = {
    ...log,
    async publish(name: string, records: OutgoingRecord[]) {
      sent.push(...records.map(({ value }) => JSON.parse(value?.toString() ?? 'null')?.name));
      revisions.push(...records.map(({ headers }) => Number(headers['revision'])));
      const published = await log.publish(name, records);
      // Stored, but the answer was lost: the relay was killed here, or its connection was.
      if (failures-- > 0) throw new EventLogUnavailable('no answer');
      return published;
    },
  };
  const relay = createRelay({
    database,
    log: uncertain,
    topic,
    logger: createLogger({ service: 'catalogue', level: 'silent' }),
  });
  const outbox = createOutbox(database.drizzle);
  for (const name of ['one', 'two', 'three']) {
    await outbox.change(async (_tx, announce) => announce([report(name)]));
  }
  await relay.start();
  await eventually(async () => expect(await database.sql`select 1 from outbox`).toHaveLength(0));
  expect(sent).toEqual(['one', 'two', 'three', 'one', 'two', 'three', 'one', 'two', 'three']);
  const [first = 0, second = 0, third = 0] = revisions;
  expect(first).toBeLessThan(second);
  expect(second).toBeLessThan(third);
  expect(revisions).toEqual([first, second, third, first, second, third, first, second, third]);
  await relay.stop();
  await log.close();
  await database.close();
});
