import { eventually, kafkaBrokers } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { openKafkaLog } from '../index.ts';
import { newGroup, newTopic } from '../testing/adapters.ts';

const brokers = await kafkaBrokers();

describe.skipIf(!brokers)('a consumer of records with an extreme compression ratio', () => {
  it('hands a bounded number of bytes to the handler at a time, in order and without gaps', async () => {
    const log = openKafkaLog({ brokers: brokers ?? [], clientId: 'decoding' });
    const topic = await newTopic(log, { partitions: 1 });
    const sends = 12;
    for (let i = 0; i < sends; i++) {
      const zeros = (n: number) => ({
        partition: 0,
        key: `${i}.${n}`,
        value: Buffer.alloc(1_000_000),
        headers: {},
      });
      await log.publish(topic, [0, 1, 2].map(zeros));
    }
    const sizes: number[] = [];
    const keys: (string | null)[] = [];
    const group = newGroup();
    const consumption = await log.consume({
      group,
      topics: [topic],
      async handle({ records }) {
        sizes.push(records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0));
        keys.push(...records.map(({ key }) => key));
      },
    });
    await eventually(() => expect(keys).toHaveLength(3 * sends));
    await eventually(async () => expect(await log.committedOffsets(group, topic)).toEqual([36n]));
    await consumption.stop();
    expect(keys).toEqual(Array.from({ length: 36 }, (_, i) => `${Math.floor(i / 3)}.${i % 3}`));
    expect(Math.max(...sizes)).toBeLessThan(5 * 1024 * 1024);
    await log.close();
  });
});
