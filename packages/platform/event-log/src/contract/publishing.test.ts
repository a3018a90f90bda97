import { createByteBudget } from '@switchboard/fairness';
import { eventually } from '@switchboard/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventLogBusy, RecordTooLarge, TopicMismatch, UnknownTopic } from '../errors.ts';
import { adapters, collect, newTopic, type TestLog } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { EventLog } from '../types.ts';

describe.each(adapters)('publishing on $name', (adapter) => {
  describe.skipIf(!adapter.available)('an open event log', () => {
    let logs: TestLog;
    let log: EventLog;
    beforeAll(async () => {
      logs = await adapter.start();
      log = logs.open();
    });
    afterAll(() => logs.close());

    it('a record is read as published', async () => {
      const topic = await newTopic(log);
      const before = Date.now();
      const sent = [
        {
          partition: 1,
          key: 'p1',
          value: Buffer.from([0, 255, 10, 13]),
          headers: { project: 'p1', name: 'Zoë "\\' },
        },
        { partition: 1, key: null, value: Buffer.alloc(0), headers: {} },
        { partition: 1, key: 'kind:é', value: null, headers: { a: '' } },
      ];
      await log.publish(topic, sent);
      const { records } = await collect(log, [topic], 3);
      expect(records.map(({ timestamp: _, ...rest }) => rest)).toEqual(
        sent.map((one, i) => ({ ...one, topic, offset: BigInt(i) })),
      );
      for (const { timestamp } of records) {
        expect(timestamp).toBeGreaterThanOrEqual(before - 1_000);
        expect(timestamp).toBeLessThanOrEqual(Date.now() + 1_000);
      }
    });

    it('records of a partition keep their order of publication under batching', async () => {
      const topic = await newTopic(log, { partitions: 3 });
      const publishes = fc.sample(fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }), 200);
      const expected: string[][] = [[], [], []];
      await Promise.all(
        publishes.map((partitions, publish) =>
          log.publish(
            topic,
            partitions.map((partition, i) => {
              expected[partition]?.push(`${publish}.${i}`);
              return record(`${publish}.${i}`, partition);
            }),
          ),
        ),
      );
      const { records } = await collect(log, [topic], expected.flat().length);
      for (const partition of [0, 1, 2]) {
        const found = records.filter((one) => one.partition === partition);
        expect(found.map((one) => String(one.value))).toEqual(expected[partition]);
        expect(found.map((one) => one.offset)).toEqual(found.map((_, i) => BigInt(i)));
      }
      expect(log.bytesInFlight()).toBe(0);
    });

    it('a publish returns where its records are stored', async () => {
      const topic = await newTopic(log, { partitions: 3 });
      const [one, other] = [logs.open(), logs.open()];
      const said = new Map<string, bigint>();
      const publishes = fc.sample(fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }), 100);
      await Promise.all(
        publishes.map(async (partitions, publish) => {
          const records = partitions.map((partition, i) => record(`${publish}.${i}`, partition));
          const published = await (publish % 2 === 0 ? one : other).publish(topic, records);
          for (const [i, { value }] of records.entries()) said.set(String(value), published.offsetOf(i));
        }),
      );
      const { records } = await collect(log, [topic], publishes.flat().length);
      const found = new Map(records.map(({ value, offset }) => [String(value), offset]));
      expect(said).toEqual(found);
    });

    it('several instances publish to the same partitions without loss or reordering', async () => {
      const topic = await newTopic(log);
      const instances = [log, logs.open(), logs.open()];
      await Promise.all(
        instances.map(async (instance, n) => {
          for (let i = 0; i < 30; i++)
            await instance.publish(topic, [record(`${n}:${i}`, 0), record(`${n}:${i}`, 1)]);
        }),
      );
      const { records } = await collect(log, [topic], 180);
      for (const n of [0, 1, 2]) {
        const own = records.filter((one) => one.partition === 0 && String(one.value).startsWith(`${n}:`));
        expect(own.map((one) => String(one.value))).toEqual(
          Array.from({ length: 30 }, (_, i) => `${n}:${i}`),
        );
      }
    });

    it('a record of 950 kB is stored, one over 1 MiB is rejected', async () => {
      const topic = await newTopic(log);
      const value = Buffer.alloc(950_000, 'x');
      await log.publish(topic, [{ partition: 0, key: 'p1', value, headers: {} }]);
      const tooLarge = { partition: 0, key: 'p1', value: Buffer.alloc(1_048_577), headers: {} };
      await expect(log.publish(topic, [record('a'), tooLarge])).rejects.toThrow(RecordTooLarge);
      expect(await log.endOffsets(topic)).toEqual([1n, 0n]);
      const { records } = await collect(log, [topic], 1);
      expect(records[0]?.value?.equals(value)).toBe(true);
    });

    it('large records of one partition that exceed a send arrive in order', async () => {
      const topic = await newTopic(log);
      const large = Array.from({ length: 24 }, (_, i) => ({
        partition: 0,
        key: String(i),
        value: Buffer.alloc(900_000, String(i)),
        headers: {},
      }));
      await Promise.all([log.publish(topic, large.slice(0, 20)), log.publish(topic, large.slice(20))]);
      const { records } = await collect(log, [topic], 24);
      expect(records.map((one) => one.key)).toEqual(large.map((one) => one.key));
    });

    it('publish over the limit of bytes in flight fails at once and stores nothing', async () => {
      const topic = await newTopic(log);
      const bounded = logs.open({ budget: createByteBudget(200_000) });
      const big = { partition: 0, key: null, value: Buffer.alloc(150_000), headers: {} };
      const first = bounded.publish(topic, [big]);
      await expect(bounded.publish(topic, [big])).rejects.toThrow(EventLogBusy);
      expect(bounded.bytesInFlight()).toBeGreaterThan(150_000);
      await first;
      expect(bounded.bytesInFlight()).toBe(0);
      await bounded.publish(topic, [big]);
      expect(await log.endOffsets(topic)).toEqual([2n, 0n]);
    });

    it('an unknown topic or partition is named and affects no other publish', async () => {
      const topic = await newTopic(log);
      const outcomes = await Promise.allSettled([
        log.publish('never-created', [record('a')]),
        log.publish(topic, [record('b', 2)]),
        log.publish(topic, [record('c', 1)]),
      ]);
      expect(outcomes.map((one) => one.status)).toEqual(['rejected', 'rejected', 'fulfilled']);
      await expect(log.publish('never-created', [record('a')])).rejects.toThrow(UnknownTopic);
      await expect(log.endOffsets('never-created')).rejects.toThrow(UnknownTopic);
      expect(log.bytesInFlight()).toBe(0);
    });

    it('creating a topic again has no effect; different partitions or cleanup are rejected', async () => {
      const name = await newTopic(log);
      const spec = { name, partitions: 2, replication: 1, cleanup: 'delete' as const };
      await log.createTopics([spec]);
      await expect(log.createTopics([{ ...spec, partitions: 4 }])).rejects.toThrow(TopicMismatch);
      await expect(log.createTopics([{ ...spec, cleanup: 'compact' }])).rejects.toThrow(TopicMismatch);
      const fresh = { ...spec, name: `${name}-b` };
      await Promise.all([log.createTopics([spec, fresh]), logs.open().createTopics([spec, fresh])]);
      expect(await log.endOffsets(`${name}-b`)).toEqual([0n, 0n]);
    });

    it('closing the log stores the records that it accepted', async () => {
      const topic = await newTopic(log);
      const other = logs.open();
      const published = Array.from({ length: 20 }, (_, i) => other.publish(topic, [record(String(i))]));
      await Promise.resolve();
      await eventually(() => expect(other.bytesInFlight()).toBeGreaterThan(0));
      await other.close();
      await Promise.all(published);
      expect(await log.endOffsets(topic)).toEqual([20n, 0n]);
    });

    it('the log answers a ping', async () => {
      await expect(log.ping()).resolves.toBeUndefined();
    });
  });
});
