import { randomBytes } from 'node:crypto';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters, collect, newGroup, newTopic, type TestLog } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { EventLog, RecordBatch } from '../types.ts';

const quick = { retryMinMs: 10, retryMaxMs: 50 };
const values = (batch: RecordBatch): string[] => batch.records.map((one) => String(one.value));

describe.each(adapters)('consuming on $name', (adapter) => {
  describe.skipIf(!adapter.available)('an open event log', () => {
    let logs: TestLog;
    let log: EventLog;
    beforeAll(async () => {
      logs = await adapter.start();
      log = logs.open();
    });
    afterAll(() => logs.close());

    it('a group continues from its commit; a new group starts from the beginning', async () => {
      const topic = await newTopic(log);
      const group = newGroup();
      const seen: string[] = [];
      const read = () =>
        log.consume({ group, topics: [topic], handle: async (batch) => void seen.push(...values(batch)) });
      await log.publish(topic, [record('a'), record('b')]);
      const first = await read();
      await eventually(async () => expect((await first.lag()).map((one) => one.behind)).toEqual([0n, 0n]));
      await first.stop();
      await log.publish(topic, [record('c')]);
      expect((await log.lag(group, [topic])).map(({ behind }) => behind)).toEqual([1n, 0n]);
      expect(await log.committedOffsets(group, topic)).toEqual([2n, 0n]);
      const second = await read();
      await eventually(() => expect(seen).toEqual(['a', 'b', 'c']));
      await second.stop();
      expect((await collect(log, [topic], 3)).records).toHaveLength(3);
    });

    it('delivers records of several topics while they are published', async () => {
      const topics = [await newTopic(log), await newTopic(log)];
      const seen: string[] = [];
      const consumption = await log.consume({
        group: newGroup(),
        topics,
        handle: async (batch) => void seen.push(...values(batch)),
      });
      for (let i = 0; i < 5; i++) {
        for (const topic of topics) await log.publish(topic, [record(`${i}`, i % 2)]);
        await eventually(() => expect(seen).toHaveLength(2 * i + 2));
      }
      await consumption.stop();
    });

    it('a failed batch is redelivered and holds up only its partition', async () => {
      const topic = await newTopic(log);
      const seen: string[] = [];
      let failures = 0;
      let broken = true;
      const consumption = await log.consume({
        ...quick,
        group: newGroup(),
        topics: [topic],
        async handle(batch) {
          if (batch.partition === 0 && broken) {
            failures++;
            throw new Error('not today');
          }
          seen.push(...values(batch));
        },
      });
      await log.publish(topic, [record('a0', 0)]);
      await eventually(() => expect(failures).toBeGreaterThan(2));
      await log.publish(topic, [record('b0', 0), record('a1', 1)]);
      await eventually(() => expect(seen).toEqual(['a1']));
      await eventually(async () =>
        expect((await consumption.lag()).map((one) => one.committed)).toEqual([0n, 1n]),
      );
      broken = false;
      await eventually(() => expect(seen).toEqual(['a1', 'a0', 'b0']));
      await eventually(async () =>
        expect((await consumption.lag()).map((one) => one.behind)).toEqual([0n, 0n]),
      );
      await consumption.stop();
    });

    it('a slow handler holds up only its partition and keeps the partition', async () => {
      const topic = await newTopic(log);
      const group = newGroup();
      const seen: string[] = [];
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      const handle = async (batch: RecordBatch): Promise<void> => {
        if (batch.partition === 0) await gate;
        seen.push(...values(batch));
      };
      const consumption = await log.consume({ group, topics: [topic], handle, leaseMs: 1_500 });
      await log.publish(topic, [record('slow', 0)]);
      await log.publish(topic, [record('a', 1)]);
      await eventually(() => expect(seen).toEqual(['a']));
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      await log.publish(topic, [record('b', 1)]);
      await eventually(() => expect(seen).toEqual(['a', 'b']));
      open();
      await eventually(() => expect(seen).toEqual(['a', 'b', 'slow']));
      await eventually(async () =>
        expect((await consumption.lag()).map((one) => one.behind)).toEqual([0n, 0n]),
      );
      await consumption.stop();
    });

    it('an invalid record goes to the dead-letter topic with the reason, and consuming continues', async () => {
      const topic = await newTopic(log);
      const seen: string[] = [];
      const consumption = await log.consume({
        group: newGroup(),
        topics: [topic],
        async handle(batch) {
          for (const one of batch.records) {
            if (String(one.value) === '{') await batch.deadLetter(one, 'not JSON');
            else seen.push(String(one.value));
          }
        },
      });
      await log.publish(topic, [
        record('a', 1),
        { ...record('{', 1, 'p1'), headers: { project: 'p1' } },
        record('b', 1),
      ]);
      await eventually(() => expect(seen).toEqual(['a', 'b']));
      const { records } = await collect(log, [`${topic}.dead-letter`], 1);
      expect(records[0]).toMatchObject({ partition: 1, key: 'p1', value: Buffer.from('{') });
      expect(records[0]?.headers).toEqual({
        project: 'p1',
        'dead-letter-reason': 'not JSON',
        'dead-letter-topic': topic,
        'dead-letter-partition': '1',
        'dead-letter-offset': '1',
      });
      await eventually(async () =>
        expect((await consumption.lag()).map((one) => one.behind)).toEqual([0n, 0n]),
      );
      await consumption.stop();
    });

    it('consuming with manual commits does not wait for them, and restarts from the last one', async () => {
      const topic = await newTopic(log, { partitions: 1 });
      const group = newGroup();
      const batches: RecordBatch[] = [];
      const seen = (): string[] => batches.flatMap(values);
      const read = () =>
        log.consume({
          group,
          topics: [topic],
          commit: 'manual',
          handle: async (batch) => void batches.push(batch),
        });
      const first = await read();
      for (const value of ['a', 'b', 'c']) {
        await log.publish(topic, [record(value)]);
        await eventually(() => expect(seen()).toContain(value));
      }
      expect(seen()).toEqual(['a', 'b', 'c']);
      expect(await log.committedOffsets(group, topic)).toEqual([0n]);
      await batches[0]?.commit(2n);
      await eventually(async () => expect(await log.committedOffsets(group, topic)).toEqual([2n]));
      await first.stop();
      batches.length = 0;
      const second = await read();
      await eventually(() => expect(seen()).toEqual(['c']));
      await batches[0]?.commit();
      await second.stop();
      expect(await log.committedOffsets(group, topic)).toEqual([3n]);
    });

    it('stopping waits for the running handler and commits its work', async () => {
      const topic = await newTopic(log, { partitions: 1 });
      const group = newGroup();
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      let started = false;
      let stopped = false;
      const consumption = await log.consume({
        group,
        topics: [topic],
        async handle(batch) {
          started = true;
          await gate;
          expect(batch.signal.aborted).toBe(true);
        },
      });
      await log.publish(topic, [record('a')]);
      await eventually(() => expect(started).toBe(true));
      const stopping = consumption.stop().then(() => {
        stopped = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(stopped).toBe(false);
      open();
      await stopping;
      expect(await log.committedOffsets(group, topic)).toEqual([1n]);
    });

    it('a consumer reads a bounded number of bytes, but at least one record', async () => {
      const topic = await newTopic(log, { partitions: 1 });
      const sizes: number[] = [];
      for (let i = 0; i < 6; i++) {
        await log.publish(topic, [{ partition: 0, key: null, value: randomBytes(400_000), headers: {} }]);
      }
      const consumption = await log.consume({
        group: newGroup(),
        topics: [topic],
        maxBatchBytes: 100_000,
        handle: async (batch) => void sizes.push(batch.records.length),
      });
      await eventually(() => expect(sizes).toEqual([1, 1, 1, 1, 1, 1]));
      await consumption.stop();
    });

    it('a consumer started before its topic joins when the topic is created', async () => {
      const name = `later-${newGroup()}`;
      const seen: string[] = [];
      const consumption = await log.consume({
        group: newGroup(),
        topics: [name],
        leaseMs: 2_000,
        handle: async (batch) => void seen.push(...values(batch)),
      });
      await log.createTopics([{ name, partitions: 1, replication: 1, cleanup: 'delete' }]);
      await log.publish(name, [record('a')]);
      await eventually(() => expect(seen).toEqual(['a']), { withinMs: 20_000 });
      await consumption.stop();
    });
  });
});
