import { randomUUID } from 'node:crypto';
import {
  type EventLog,
  openKafkaLog,
  openPostgresLog,
  readTopic,
  type StoredRecord,
} from '@switchboard/event-log';
import { eventually, startKafka, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../testing/index.ts';

const kafka = await startKafka();
afterAll(() => kafka?.stop());

const TOPICS = ['events', 'identifies', 'groups', 'replays'];

describe.each(['PostgreSQL', 'Kafka'])('switchboard dead-letters on %s', (name) => {
  describe.skipIf(name === 'Kafka' && kafka === undefined)('', () => {
    let log: EventLog;
    let env: Record<string, string>;
    let drop: () => Promise<void>;
    beforeAll(async () => {
      const database = await testDatabase();
      drop = database.drop;
      const brokers = name === 'Kafka' ? kafka?.brokers : undefined;
      env = brokers ? { KAFKA_BROKERS: brokers.join(',') } : { EVENT_LOG_DATABASE_URL: database.url };
      log = brokers ? openKafkaLog({ brokers, clientId: 'test' }) : openPostgresLog({ url: database.url });
      await log.createTopics(
        TOPICS.map((topic) => ({ name: topic, partitions: 2, replication: 1, cleanup: 'delete' })),
      );
    });
    afterAll(async () => {
      await log.close();
      await drop();
    });

    const run = (...args: string[]) => runInProcess(['dead-letters', ...args], env);

    async function recordsOn(topic: string): Promise<StoredRecord[]> {
      const records: StoredRecord[] = [];
      await readTopic(log, topic, { onRecord: (record) => records.push(record) });
      return records;
    }

    /** Reads `events` and rejects records that begin with `bad`, until `isFixed`. */
    async function consumer(isFixed: () => boolean) {
      const read: string[] = [];
      const consumption = await log.consume({
        group: `reader-${randomUUID()}`,
        topics: ['events'],
        async handle(batch) {
          for (const record of batch.records) {
            const text = String(record.value);
            if (text.startsWith('bad') && !isFixed()) await batch.deadLetter(record, 'cannot be read');
            else read.push(text);
          }
        },
      });
      return { read, stop: () => consumption.stop() };
    }

    it('lists dead letters, replays them once unchanged, and lists those that fail again', async () => {
      let isFixed = false;
      const { read, stop } = await consumer(() => isFixed);
      const headers = { project: 'p1', count: '3' };
      const [first, second] = [
        { partition: 0, key: 'k', value: Buffer.from('bad 1'), headers },
        { partition: 1, key: null, value: Buffer.from('bad 2'), headers },
      ];
      await log.publish('events', [first, { ...first, value: Buffer.from('good') }, second]);
      await eventually(async () => expect(await recordsOn('events.dead-letter')).toHaveLength(2), {
        withinMs: 20_000,
      });

      const listed = await run('list', '--json');
      expect(listed).toMatchObject({ code: 0, err: '' });
      expect(JSON.parse(listed.out)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            topic: 'events',
            partition: 0,
            reason: 'cannot be read',
            bytes: 5,
            headers,
          }),
          expect.objectContaining({
            topic: 'events',
            partition: 1,
            reason: 'cannot be read',
            bytes: 5,
            headers,
          }),
        ]),
      );
      expect((await run('list', 'events')).out).toMatch(
        / events\/0 0 p1: cannot be read\n(?:.*\n)*2 to replay\n$/,
      );

      expect(await run('replay', 'events')).toEqual({ code: 0, out: '2 replayed\n', err: '' });
      await eventually(async () => expect(await recordsOn('events.dead-letter')).toHaveLength(4), {
        withinMs: 20_000,
      });
      expect((await run('list', 'events')).out).toMatch(/2 to replay\n$/);

      isFixed = true;
      expect((await run('replay', 'events')).out).toBe('2 replayed\n');
      await eventually(() => expect(read.toSorted()).toEqual(['bad 1', 'bad 2', 'good']), {
        withinMs: 20_000,
      });
      const again = (await recordsOn('events')).filter(({ value }) => String(value) === 'bad 1');
      expect(again).toEqual(
        [1, 2, 3].map(() => expect.objectContaining({ partition: 0, key: 'k', headers })),
      );
      expect((await run('list')).out).toBe('0 to replay\n');
      expect((await run('replay', 'events')).out).toBe('0 replayed\n');
      await stop();
    });

    it('replays one line of a record with several lines as a record with that line', async () => {
      const line = { 'dead-letter-line': '2', 'dead-letter-reason': 'x' };
      const headers = { project: 'p1', count: '3' };
      const value = Buffer.from('{}');
      await log.publish('identifies.dead-letter', [
        { partition: 0, key: 'k', value, headers: { ...headers, ...line } },
      ]);
      expect((await run('replay', 'identifies')).out).toBe('1 replayed\n');
      expect(await recordsOn('identifies')).toEqual([
        expect.objectContaining({ value, headers: { project: 'p1', count: '1' } }),
      ]);
    });

    it.each([
      [['list', 'nothing'], /nothing: no such topic; choose one of events, /],
      [['replay'], /usage: /],
      [['list', 'events', 'replays'], /usage: /],
    ])('refuses the arguments %j', async (args, message) => {
      expect(await run(...args)).toMatchObject({ code: 2, out: '', err: expect.stringMatching(message) });
    });
  });
});
