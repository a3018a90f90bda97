import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TopicMismatch } from '../errors.ts';
import { adapters, collect, newTopic, type TestLog } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { EventLog } from '../types.ts';

describe.each(adapters)('compacted topics on $name', (adapter) => {
  describe.skipIf(!adapter.available)('an open event log', () => {
    let logs: TestLog;
    let log: EventLog;
    beforeAll(async () => {
      logs = await adapter.start();
      log = logs.open({ compactionIntervalMs: 50 });
    });
    afterAll(() => logs.close());

    it('a new group reads at least the last record of each key, including tombstones, in order', async () => {
      const topic = await newTopic(log, { partitions: 1, cleanup: 'compact' });
      const written = ['member:1', 'key:1', 'member:1', 'member:2', 'key:1', 'member:1'];
      for (const [i, key] of written.entries()) await log.publish(topic, [record(`${i}`, 0, key)]);
      await log.publish(topic, [record(null, 0, 'member:2')]);
      const last = new Map([...written.entries()].map(([i, key]) => [key, `${i}`]));
      last.set('member:2', 'null');
      const seen: { key: string | null; value: string; offset: bigint }[] = [];
      const { records } = await collect(log, [topic], 3);
      for (const { key, value, offset } of records) seen.push({ key, value: String(value), offset });
      const reached = new Map(seen.map(({ key, value }) => [key, value]));
      expect(reached).toEqual(last);
      expect(seen.map((one) => one.offset)).toEqual(
        seen.map((one) => one.offset).sort((a, b) => Number(a - b)),
      );
      expect(seen.at(-1)).toEqual({ key: 'member:2', value: 'null', offset: 6n });
      expect(await log.endOffsets(topic)).toEqual([7n]);
    });

    it('a topic with a shorter tombstone retention is rejected', async () => {
      const spec = { partitions: 1, replication: 1, cleanup: 'compact' as const };
      const days = (count: number) => ({ tombstoneRetentionMs: count * 24 * 3_600_000 });
      const byDefault = { ...spec, name: await newTopic(log, spec) };
      await log.createTopics([{ ...byDefault, ...days(1) }]);
      await expect(log.createTopics([{ ...byDefault, ...days(2) }])).rejects.toThrow(TopicMismatch);
      const long = { ...spec, name: await newTopic(log, { ...spec, ...days(30) }) };
      await log.createTopics([long, { ...long, ...days(30) }]);
      await expect(log.createTopics([{ ...long, ...days(31) }])).rejects.toThrow(TopicMismatch);
    });
  });
});
