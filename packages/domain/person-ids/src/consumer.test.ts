import { PEOPLE_TOPIC, type PersonRecord, personKey } from '@switchboard/contracts';
import { type Database, openDatabase } from '@switchboard/database';
import {
  type BackgroundConsumer,
  type EventLog,
  openKafkaLog,
  openPostgresLog,
} from '@switchboard/event-log';
import { eventually, startKafka, type TestDatabase, testDatabase } from '@switchboard/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPersonIdsConsumer } from './consumer.ts';
import { createPersonIds, type PersonIds } from './person-ids.ts';

const kafka = await startKafka();
afterAll(() => kafka?.stop());

const GROUP = 'test.person-ids';
const joinedAt = '2026-03-01T09:30:00.000Z';
const by = { kind: 'identify' } as const;

describe.each(['PostgreSQL', 'Kafka'])('the replica of person ids on %s', (name) => {
  describe.skipIf(name === 'Kafka' && kafka === undefined)('', () => {
    let test: TestDatabase;
    let database: Database;
    let log: EventLog;
    let ids: PersonIds;
    let consumer: BackgroundConsumer | undefined;
    const skipped: object[] = [];

    beforeAll(async () => {
      test = await testDatabase();
      database = openDatabase({ url: test.url, applicationName: 'test' });
      await database.sql`
        create table person_ids (project_id text not null, distinct_id text not null, person_id text not null,
          joined_at timestamptz(3) not null, joined_by json not null, primary key (project_id, distinct_id))`;
      log =
        kafka !== undefined && name === 'Kafka'
          ? openKafkaLog({ brokers: kafka.brokers, clientId: 'test' })
          : openPostgresLog({ url: test.url });
      await log.createTopics([{ name: PEOPLE_TOPIC, partitions: 1, replication: 1, cleanup: 'compact' }]);
      ids = createPersonIds(database.drizzle);
      consume();
    });
    afterEach(() => void skipped.splice(0));
    afterAll(async () => {
      await consumer?.stop();
      await log.close();
      await database.close();
      await test.drop();
    });

    function consume(group = GROUP) {
      const logger = { failed: () => undefined, error: (fields: object) => void skipped.push(fields) };
      consumer = createPersonIdsConsumer({ group, database, log, logger });
      consumer.start();
    }

    const publish = (...records: (readonly [key: string, value: object | string | null])[]) =>
      log.publish(
        PEOPLE_TOPIC,
        records.map(([key, value]) => ({
          partition: 0,
          key,
          value:
            value === null ? null : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
          headers: {},
        })),
      );
    const joined = (projectId: string, distinctId: string, personId: string) =>
      [
        personKey(projectId, distinctId),
        { projectId, distinctId, personId, joinedAt, by } satisfies PersonRecord,
      ] as const;
    const parted = (projectId: string, distinctId: string) =>
      [personKey(projectId, distinctId), null] as const;

    it('finds the person and all ids of any id, and a person of its own for an unknown id', async () => {
      await publish(
        joined('p1', 'phone', 'grace'),
        joined('p1', 'laptop', 'grace'),
        joined('p2', 'phone', 'ada'),
      );
      await eventually(async () => expect(await ids.personOf('p2', 'phone')).toBe('ada'));
      for (const id of ['phone', 'laptop', 'grace']) {
        expect(await ids.personOf('p1', id)).toBe('grace');
        expect(await ids.idsOf('p1', id)).toEqual(['grace', 'laptop', 'phone']);
      }
      expect(await ids.idsOf('p2', 'grace')).toEqual(['grace']);
      expect(await ids.joinedTo('p2', 'ada')).toEqual([
        { distinctId: 'phone', joinedAt: new Date(joinedAt), by },
      ]);
    });

    it('keeps the last record of an id that is joined, moved and parted in one batch', async () => {
      await publish(
        joined('p3', 'a', 'x'),
        joined('p3', 'a', 'y'),
        joined('p3', 'b', 'y'),
        parted('p3', 'b'),
        parted('p3', 'never-joined'),
        joined('p3', 'c', 'y'),
      );
      await eventually(async () => expect(await ids.idsOf('p3', 'y')).toEqual(['y', 'a', 'c']));
      expect(await ids.personOf('p3', 'b')).toBe('b');
      await publish(parted('p3', 'a'));
      await eventually(async () => expect(await ids.idsOf('p3', 'c')).toEqual(['y', 'c']));
    });

    it('skips a record that it cannot read, and applies the next one', async () => {
      await publish(
        ['not a key', {}],
        [personKey('p4', 'a'), 'not JSON'],
        [personKey('p4', 'b'), { projectId: 'p4' }],
        joined('p4', 'c', 'ada'),
      );
      await eventually(async () => expect(await ids.personOf('p4', 'c')).toBe('ada'));
      expect(skipped).toHaveLength(3);
    });

    it('reaches the same state when it reads the topic again from the start', async () => {
      await publish(
        joined('p5', 'a', 'x'),
        joined('p5', 'b', 'x'),
        parted('p5', 'a'),
        joined('p5', 'a', 'z'),
      );
      await eventually(async () => expect(await ids.personOf('p5', 'a')).toBe('z'));
      const before = await database.sql`select * from person_ids order by 1, 2`;
      await consumer?.stop();
      consume('test.person-ids.again');
      await publish(joined('p5', 'last', 'x'));
      await eventually(async () => expect(await ids.personOf('p5', 'last')).toBe('x'));
      expect(await database.sql`select * from person_ids where distinct_id <> 'last' order by 1, 2`).toEqual(
        before,
      );
    });

    it('removes the ids of one project', async () => {
      await publish(joined('p6', 'a', 'x'), joined('p7', 'a', 'x'));
      await eventually(async () => expect(await ids.personOf('p7', 'a')).toBe('x'));
      await ids.removeProject('p6');
      expect(await ids.personOf('p6', 'a')).toBe('a');
      expect(await ids.personOf('p7', 'a')).toBe('x');
    });
  });
});
