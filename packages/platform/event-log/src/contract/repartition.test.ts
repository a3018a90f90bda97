import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TopicPaused } from '../errors.ts';
import { partitionFor, UnknownTopic } from '../index.ts';
import { adapters, collect, newGroup, newTopic, type TestLog } from '../testing/adapters.ts';
import type { EventLog } from '../types.ts';

const KEYS = Array.from({ length: 12 }, (_, n) => `person ${n}`);

async function publishTo(log: EventLog, topic: string, key: string, value: string): Promise<void> {
  const partition = partitionFor(key, await log.partitions(topic));
  await log.publish(topic, [{ partition, key, value: Buffer.from(value), headers: {} }]);
}

describe.each(adapters)('the repartitioning of a topic on $name', (adapter) => {
  describe.skipIf(!adapter.available)('', () => {
    let logs: TestLog;
    beforeAll(async () => {
      logs = await adapter.start();
    });
    afterAll(() => logs.close());

    /** Publishes consecutive numbers for each key, each through another process, and retries as clients do. */
    function publishAlways(topic: string) {
      const through = [logs.open(), logs.open(), logs.open()];
      const acknowledged = new Map(KEYS.map((key) => [key, 0]));
      const refused = new Set<string>();
      let isGoing = true;
      async function publishKey(key: string, at: number): Promise<void> {
        for (let n = 0; isGoing; ) {
          const log = through[(at + n) % through.length];
          if (log === undefined) return;
          await publishTo(log, topic, key, String(n)).then(
            () => acknowledged.set(key, ++n),
            async (error: unknown) => {
              if (!(error instanceof TopicPaused)) throw error;
              refused.add(error.name);
              await new Promise((resolve) => setTimeout(resolve, 20));
            },
          );
        }
      }
      const done = Promise.all(KEYS.map(publishKey));
      return {
        acknowledged,
        refused,
        reached: (count: number) =>
          eventually(() => expect(Math.min(...acknowledged.values())).toBeGreaterThan(count), {
            withinMs: 60_000,
          }),
        stop() {
          isGoing = false;
          return done;
        },
      };
    }

    /** Reads a topic in two processes. Returns the numbers read, by key. */
    async function readAlong(topic: string, group = newGroup()) {
      const read = new Map<string, number[]>(KEYS.map((key) => [key, []]));
      const consumptions = await Promise.all(
        [logs.open(), logs.open()].map((log) =>
          log.consume({
            group,
            topics: [topic],
            leaseMs: 6_000,
            async handle({ records }) {
              for (const { key, value } of records) read.get(key ?? '')?.push(Number(value));
            },
          }),
        ),
      );
      return { group, read, stop: () => Promise.all(consumptions.map((one) => one.stop())) };
    }

    it('keeps every record, each once, and the order of each key under load', async () => {
      const topic = await newTopic(logs.open(), { partitions: 4 });
      const { read, group } = await readAlong(topic);
      const load = publishAlways(topic);
      await load.reached(20);
      for (const partitions of [16, 2]) {
        expect(await logs.repartition({ topic, partitions })).toBe(true);
        await load.reached(Math.max(...load.acknowledged.values()) + 20);
      }
      await load.stop();
      expect([...load.refused]).toEqual(['TopicPaused']);
      const expected = new Map(
        [...load.acknowledged].map(([key, count]) => [key, Array.from({ length: count }, (_, n) => n)]),
      );
      await eventually(() => expect(read).toEqual(expected), { withinMs: 30_000 });
      const log = logs.open();
      const ends = await log.endOffsets(topic);
      expect(ends).toHaveLength(2);
      await eventually(async () => expect(await log.committedOffsets(group, topic)).toEqual(ends));
    }, 180_000);

    it('waits for a group that is away, and rejects records until it has read the topic', async () => {
      const log = logs.open();
      const topic = await newTopic(log, { partitions: 1 });
      const reader = await readAlong(topic);
      await publishTo(log, topic, 'person 0', '0');
      await eventually(() => expect(reader.read.get('person 0')).toEqual([0]), { withinMs: 20_000 });
      await reader.stop();
      await publishTo(log, topic, 'person 0', '1');
      const said: string[] = [];
      const running = logs.repartition({
        topic,
        partitions: 3,
        settleMs: 0,
        onProgress: (message) => said.push(message),
      });
      await eventually(() =>
        expect(said).toContain(`waiting for the consumers of ${topic}: ${reader.group}`),
      );
      const started = logs.open();
      await started.createTopics([
        { name: topic, partitions: 1, replication: 1, cleanup: 'delete', anyPartitions: true },
      ]);
      await expect(publishTo(started, topic, 'person 0', '2')).rejects.toThrow(TopicPaused);
      const again = await readAlong(topic, reader.group);
      expect(await running).toBe(true);
      await eventually(() => publishTo(started, topic, 'person 0', '2'));
      await eventually(() => expect(again.read.get('person 0')).toEqual([1, 2]), { withinMs: 20_000 });
      await again.stop();
    });

    it('continues a run that ended, with the same number only', async () => {
      const log = logs.open();
      const topic = await newTopic(log, { partitions: 2 });
      await publishTo(log, topic, 'person 0', '0');
      const run = (partitions: number, onProgress = (_: string) => {}) =>
        logs.repartition({ topic, partitions, settleMs: 0, onProgress });
      const crash = () => {
        throw new Error('crashed');
      };
      await expect(run(3, crash)).rejects.toThrow('crashed');
      await expect(run(5)).rejects.toThrow('run it again with that number, or with 2 to keep its partitions');
      await expect(publishTo(logs.open(), topic, 'person 0', '1')).rejects.toThrow(
        `run switchboard topics repartition ${topic} --to 3`,
      );
      expect(await run(3)).toBe(true);
      expect(await run(3)).toBe(false);
      expect(await logs.open().partitions(topic)).toBe(3);
    });

    it('keeps the partitions when it is run with their number', async () => {
      const log = logs.open();
      const topic = await newTopic(log, { partitions: 2 });
      const run = (partitions: number, onProgress = (_: string) => {}) =>
        logs.repartition({ topic, partitions, settleMs: 0, onProgress });
      const crash = () => {
        throw new Error('crashed');
      };
      await expect(run(3, crash)).rejects.toThrow('crashed');
      expect(await run(2)).toBe(false);
      const resumed = logs.open();
      await eventually(() => publishTo(resumed, topic, 'person 0', '1'));
      expect((await collect(resumed, [topic], 1)).records).toHaveLength(1);
      expect(await run(2)).toBe(false);
    });

    it('accepts the earlier setting, and spreads dead letters over their fewer partitions', async () => {
      const topic = await newTopic(logs.open(), { partitions: 2, anyPartitions: true });
      await logs.repartition({ topic, partitions: 16, settleMs: 0 });
      const log = logs.open();
      await newTopic(log, { name: topic, partitions: 2, anyPartitions: true });
      await eventually(() => publishTo(log, topic, 'a', '1'));
      await log.consume({
        group: newGroup(),
        topics: [topic],
        handle: async (batch) => {
          for (const record of batch.records) await batch.deadLetter(record, 'cannot be read');
        },
      });
      const { records } = await collect(log, [`${topic}.dead-letter`], 1);
      const partition = partitionFor('a', 16);
      expect(records[0]).toMatchObject({
        partition: partition % 2,
        headers: { 'dead-letter-partition': String(partition) },
      });
    });

    it('refuses a topic that does not exist', async () => {
      const topic = newGroup();
      // Creates the tables on PostgreSQL.
      await newTopic(logs.open());
      await expect(logs.repartition({ topic, partitions: 3 })).rejects.toThrow(UnknownTopic);
    });
  });
});
