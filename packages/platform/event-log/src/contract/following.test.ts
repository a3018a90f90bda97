import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters, newGroup, newTopic, type TestLog } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { EventLog } from '../types.ts';

describe.each(adapters)('following on $name', (adapter) => {
  describe.skipIf(!adapter.available)('an open event log', () => {
    let logs: TestLog;
    let log: EventLog;
    beforeAll(async () => {
      logs = await adapter.start();
      log = logs.open();
    });
    afterAll(() => logs.close());

    it('passes the new records of every partition to each follower, and none of before', async () => {
      const topic = await newTopic(log);
      await log.publish(topic, [record('before'), record('before', 1)]);
      const seen: string[][] = [[], []];
      const group = newGroup();
      const followers = await Promise.all(
        seen.map((values) =>
          log.follow({
            group,
            topic,
            onRecords: (records) => void values.push(...records.map(({ value }) => String(value))),
          }),
        ),
      );
      await log.publish(topic, [record('one'), record('two', 1)]);
      for (const values of seen)
        await eventually(() => expect([...values].sort()).toEqual(['one', 'two']), { withinMs: 20_000 });
      await log.publish(topic, [record('three')]);
      for (const values of seen) await eventually(() => expect(values).toContain('three'));
      await Promise.all(followers.map((one) => one.stop()));
      await log.publish(topic, [record('after')]);
      expect(seen.flat()).not.toContain('before');
      expect(seen.flat()).not.toContain('after');
    });

    it('starts from the offsets that the follower asks for', async () => {
      const topic = await newTopic(log);
      await log.publish(topic, [record('a'), record('b'), record('c'), record('d', 1)]);
      const seen: string[] = [];
      const follower = await log.follow({
        group: newGroup(),
        topic,
        from: (partition, end) => (partition === 0 ? end - 2n : end),
        onRecords: (records) => void seen.push(...records.map(({ value }) => String(value))),
      });
      await eventually(() => expect(seen).toEqual(['b', 'c']), { withinMs: 20_000 });
      await log.publish(topic, [record('e', 1)]);
      await eventually(() => expect(seen).toEqual(['b', 'c', 'e']), { withinMs: 20_000 });
      await follower.stop();
    });
  });
});
