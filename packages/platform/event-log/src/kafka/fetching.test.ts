import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, kafkaBrokers } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { openKafkaLog } from '../index.ts';
import { newGroup, newTopic } from '../testing/adapters.ts';

const brokers = await kafkaBrokers();
const RECORDS = 50;

describe.skipIf(!brokers)('a consumer that fetches at least 100,000 bytes', () => {
  it('hands over records that arrive one after the other a few times a second, and never waits for the rest', async () => {
    const log = openKafkaLog({ brokers: brokers ?? [], clientId: 'fetching' });
    const topic = await newTopic(log, { partitions: 1 });
    const keys: (string | null)[] = [];
    let calls = 0;
    const consumption = await log.consume({
      group: newGroup(),
      topics: [topic],
      minFetchBytes: 100_000,
      async handle({ records }) {
        calls++;
        keys.push(...records.map(({ key }) => key));
      },
    });
    const publish = (key: string) =>
      log.publish(topic, [{ partition: 0, key, value: Buffer.from('x'), headers: {} }]);
    await publish('first');
    // The consumer has joined its group and is waiting.
    await eventually(() => expect(keys).toEqual(['first']));
    calls = 0;
    const expected = Array.from({ length: RECORDS }, (_, i) => String(i));
    for (const key of expected) {
      await publish(key);
      await sleep(20);
    }
    await eventually(() => expect(keys.slice(1)).toEqual(expected));
    expect(calls).toBeLessThan(RECORDS / 5);
    await consumption.stop();
    await log.close();
  });
});
