import { createRequire } from 'node:module';
import { eventually, kafkaBrokers } from '@switchboard/testkit';
import { Kafka } from 'kafkajs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TopicPaused } from '../../errors.ts';
import { openKafkaLog, partitionFor, repartitionKafkaTopic } from '../../index.ts';
import { newGroup, newTopic } from '../../testing/adapters.ts';
import type { EventLog } from '../../types.ts';

const require = createRequire(import.meta.url);
type Ask = (this: unknown, given: object) => Promise<unknown>;
const STEPS = ['createTopics', 'alterConfigs', 'deleteTopics'] as const;
const Broker: { prototype: Record<(typeof STEPS)[number], Ask> } = require('kafkajs/src/broker');

const brokers = await kafkaBrokers();
const connection = { brokers: brokers ?? [], clientId: 'repartition' };

describe.skipIf(!brokers)('the repartitioning of a topic on Kafka', () => {
  const admin = new Kafka({ brokers: brokers ?? [], logCreator: () => () => {} }).admin();
  const logs: EventLog[] = [];
  beforeAll(() => admin.connect());
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await admin.disconnect();
    await Promise.all(logs.map((log) => log.close()));
  });

  function open(): EventLog {
    const log = openKafkaLog(connection);
    logs.push(log);
    return log;
  }

  async function publish(log: EventLog, topic: string, value: string): Promise<void> {
    const partition = partitionFor('a', await log.partitions(topic));
    await log.publish(topic, [{ partition, key: 'a', value: Buffer.from(value), headers: {} }]);
  }

  const run = (topic: string, partitions: number, onProgress = (_: string) => {}) =>
    repartitionKafkaTopic(connection, { topic, partitions, settleMs: 0, onProgress });

  it.each([1, 2, 3, 4, 5, 6])(
    'loses and repeats no record when a run is killed after change %i of the broker, and run again',
    async (last) => {
      const log = open();
      const topic = await newTopic(log, { partitions: 2 });
      const read: string[] = [];
      await open().consume({
        group: newGroup(),
        topics: [topic],
        handle: async ({ records }) => void read.push(...records.map(({ value }) => String(value))),
      });
      for (const value of ['1', '2', '3']) await publish(log, topic, value);
      await eventually(() => expect(read).toEqual(['1', '2', '3']), { withinMs: 20_000 });
      let changes = 0;
      for (const step of STEPS) {
        const ask = Broker.prototype[step];
        vi.spyOn(Broker.prototype, step).mockImplementation(async function (this: unknown, given) {
          if (changes === last) throw new Error('killed');
          const answer = await ask.call(this, given);
          changes++;
          if (changes === last) throw new Error('killed');
          return answer;
        });
      }
      await expect(run(topic, 3)).rejects.toThrow('killed');
      vi.restoreAllMocks();
      // The run that was killed had ended.
      expect(await run(topic, 3)).toBe(last < 6);
      await eventually(() => publish(log, topic, '4'));
      await eventually(() => expect(read).toEqual(['1', '2', '3', '4']), { withinMs: 20_000 });
      expect(await log.endOffsets(topic)).toHaveLength(3);
    },
    90_000,
  );

  it('tells a publisher that has not noticed the pause to retry', async () => {
    const log = open();
    const topic = await newTopic(log);
    await publish(log, topic, '1');
    const answers: unknown[] = [];
    const publishing = async () => {
      for (let isPaused = false; !isPaused; ) {
        const answer = await publish(log, topic, '2').then(
          () => 'stored',
          (error: unknown) => error,
        );
        isPaused = answer !== 'stored';
        answers.push(answer);
      }
    };
    await Promise.all([run(topic, 3), publishing()]);
    expect(answers.at(-1)).toBeInstanceOf(TopicPaused);
  });

  it('keeps the settings of the topic', async () => {
    const topic = await newTopic(open(), { retentionMs: 7_200_000 });
    await run(topic, 3);
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: 2, name: topic, configNames: ['retention.ms', 'max.message.bytes'] }],
    });
    const entries = resources[0]?.configEntries ?? [];
    expect(
      Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue])),
    ).toEqual({ 'retention.ms': '7200000', 'max.message.bytes': String(8 * 1024 * 1024) });
  });
});
