import { createRequire } from 'node:module';
import { eventually, kafkaBrokers } from '@switchboard/testkit';
import { Kafka } from 'kafkajs';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import {
  EventLogUnavailable,
  openKafkaLog,
  partitionFor,
  repartitionKafkaTopic,
  TopicMoved,
  UnknownTopic,
} from '../../index.ts';
import { collect, newGroup, newTopic } from '../../testing/adapters.ts';
import type { ConsumeOptions, EventLog } from '../../types.ts';

const require = createRequire(import.meta.url);
type Ask<Given, Answer = unknown> = (this: unknown, given: Given) => Promise<Answer>;
const Broker: {
  prototype: {
    metadata: Ask<string[], { topicMetadata: { topic: string }[] }>;
    createTopics: Ask<object>;
    produce: Ask<{ topicData: { topic: string }[] }>;
  };
} = require('kafkajs/src/broker');
const { KafkaJSProtocolError } = require('kafkajs/src/errors');
const answered = (type: string) => new KafkaJSProtocolError({ type, code: 1, message: type });

const brokers = await kafkaBrokers();
const connection = { brokers: brokers ?? [], clientId: 'repartition' };
const KEYS = Array.from({ length: 12 }, (_, n) => `person ${n}`);

describe.skipIf(!brokers)('the repartitioning of a topic', () => {
  const logs: EventLog[] = [];
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => void (await Promise.all(logs.map((log) => log.close()))));

  function open(): EventLog {
    const log = openKafkaLog(connection);
    logs.push(log);
    return log;
  }

  async function publishTo(log: EventLog, topic: string, key: string, value: string): Promise<void> {
    const { first, count } = await log.placement(topic);
    const partition = first + partitionFor(key, count);
    await log.publish(topic, [{ partition, key, value: Buffer.from(value), headers: {} }]);
  }

  /**
   * Publishes consecutive numbers for each key, each through another process, and retries on request as clients do.
   */
  function publishAlways(through: EventLog[], topic: string) {
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
            if (!(error instanceof EventLogUnavailable)) throw error;
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
      stop() {
        isGoing = false;
        return done;
      },
    };
  }

  /** Collects the values that a group read, by key. */
  function reader(topic: string): Omit<ConsumeOptions, 'group'> & { read: Map<string, number[]> } {
    const read = new Map<string, number[]>(KEYS.map((key) => [key, []]));
    return {
      read,
      topics: [topic],
      leaseMs: 6_000,
      async handle({ records }) {
        for (const { key, value } of records) read.get(key ?? '')?.push(Number(value));
      },
    };
  }

  const all = (acknowledged: ReadonlyMap<string, number>) =>
    new Map([...acknowledged].map(([key, count]) => [key, Array.from({ length: count }, (_, n) => n)]));

  it('keeps every record and the order of each key under load, for running and for new groups', async () => {
    const processes = [open(), open(), open()];
    const topic = await newTopic(open(), { partitions: 4 });
    const group = newGroup();
    const { read, ...options } = reader(topic);
    for (const log of [open(), open()]) await log.consume({ ...options, group });
    const load = publishAlways(processes, topic);
    const reached = (count: number) =>
      eventually(() => expect(Math.min(...load.acknowledged.values())).toBeGreaterThan(count), {
        withinMs: 30_000,
      });
    await reached(20);
    expect(await repartitionKafkaTopic(connection, { topic, partitions: 16 })).toBe(true);
    await reached(Math.max(...load.acknowledged.values()) + 20);
    await load.stop();
    expect([...load.refused]).toEqual(['TopicMoved']);
    const expected = all(load.acknowledged);
    await eventually(() => expect(read).toEqual(expected), { withinMs: 30_000 });
    const ends = await open().endOffsets(topic);
    expect(ends).toHaveLength(20);
    await eventually(async () => expect(await open().committedOffsets(group, topic)).toEqual(ends));

    const { read: again, ...fromStart } = reader(topic);
    await open().consume({ ...fromStart, group: newGroup() });
    await eventually(() => expect(again).toEqual(expected), { withinMs: 30_000 });
  }, 120_000);

  it('keeps groups beyond the old partitions, even after Kafka has forgotten their commits there', async () => {
    const log = open();
    const topic = await newTopic(log, { partitions: 1 });
    await publishTo(log, topic, 'a', '1');
    await repartitionKafkaTopic(connection, { topic, partitions: 2 });
    await eventually(() => publishTo(log, topic, 'a', '2'));
    const group = newGroup();
    const admin = new Kafka({ brokers: brokers ?? [], logCreator: () => () => {} }).admin();
    await admin.connect();
    const ends = (await log.endOffsets(topic)).slice(1);
    await admin.setOffsets({
      groupId: group,
      topic: `${topic}.from-1`,
      partitions: ends.map((end, partition) => ({ partition, offset: String(end) })),
    });
    await admin.disconnect();
    expect((await log.lag(group, [topic])).map(({ behind }) => behind)).toEqual([0n, 0n, 0n]);
    await publishTo(log, topic, 'a', '3');
    const read: string[] = [];
    await log.consume({
      group,
      topics: [topic],
      handle: async ({ records }) => void read.push(...records.map(({ value }) => String(value))),
    });
    await eventually(() => expect(read).toEqual(['3']), { withinMs: 20_000 });
  }, 60_000);

  it('applies to processes with the earlier setting and to dead letters', async () => {
    const topic = await newTopic(open(), { partitions: 4 });
    await repartitionKafkaTopic(connection, { topic, partitions: 16 });
    const log = open();
    await newTopic(log, { name: topic, partitions: 4, isPlaced: true });
    await publishTo(open(), topic, 'first', '1').catch(() => undefined);
    await eventually(() => publishTo(log, topic, 'a', '1'));
    expect(await log.placement(topic)).toEqual({ first: 4, count: 16 });
    await expect(
      log.publish(topic, [{ partition: 0, key: 'a', value: Buffer.from('2'), headers: {} }]),
    ).rejects.toThrow(TopicMoved);
    await log.consume({
      group: newGroup(),
      topics: [topic],
      handle: async (batch) => {
        for (const record of batch.records) await batch.deadLetter(record, 'cannot be read');
      },
    });
    const { records } = await collect(log, [`${topic}.dead-letter`], 1);
    const partition = 4 + partitionFor('a', 16);
    expect(records[0]).toMatchObject({
      partition: partition % 4,
      headers: { 'dead-letter-partition': String(partition) },
    });
  }, 60_000);

  it('moves groups past partitions without records', async () => {
    const log = open();
    const topic = await newTopic(log, { partitions: 1 });
    await publishTo(log, topic, 'a', '1');
    const group = newGroup();
    const { read, ...options } = reader(topic);
    read.set('a', []);
    await open().consume({ ...options, group });
    for (const partitions of [2, 3]) await repartitionKafkaTopic(connection, { topic, partitions });
    await eventually(() => publishTo(log, topic, 'a', '2'));
    await eventually(() => expect(read.get('a')).toEqual([1, 2]), { withinMs: 20_000 });
  }, 60_000);

  it('waits until a broker knows the new partitions', async () => {
    const topic = await newTopic(open());
    const isNew = (name: string) => name === `${topic}.from-2`;
    const { metadata } = Broker.prototype;
    let asked = 0;
    let unlisted = 0;
    // The first three requests, and the immediate second request, for which kafkajs swallows the error.
    const unknown = new Set([1, 2, 3, 5]);
    vi.spyOn(Broker.prototype, 'metadata').mockImplementation(async function (this: unknown, topics) {
      if (topics?.some(isNew) && unknown.has(++asked)) throw answered('UNKNOWN_TOPIC_OR_PARTITION');
      const answer = await metadata.call(this, topics);
      const others = answer.topicMetadata.filter((one) => !isNew(one.topic));
      if (topics?.length !== 0 || unlisted === 6 || others.length === answer.topicMetadata.length)
        return answer;
      unlisted++;
      return { ...answer, topicMetadata: others };
    });
    expect(await repartitionKafkaTopic(connection, { topic, partitions: 3 })).toBe(true);
    expect(unlisted).toBe(6);
    expect(await open().endOffsets(topic)).toHaveLength(5);
  }, 60_000);

  it('tells publishers to retry, even when a broker does not know the new partitions yet', async () => {
    const log = open();
    const topic = await newTopic(log);
    await publishTo(log, topic, 'a', '1');
    await repartitionKafkaTopic(connection, { topic, partitions: 3 });
    const { metadata } = Broker.prototype;
    const knownAt = performance.now() + 150;
    let unlisted = 0;
    vi.spyOn(Broker.prototype, 'metadata').mockImplementation(async function (this: unknown, topics) {
      const answer = await metadata.call(this, topics);
      if (topics?.length !== 0 || performance.now() > knownAt) return answer;
      unlisted++;
      return { ...answer, topicMetadata: answer.topicMetadata.filter((one) => one.topic === topic) };
    });
    await expect(publishTo(log, topic, 'a', '2')).rejects.toThrow(TopicMoved);
    await publishTo(log, topic, 'a', '2');
    expect(unlisted).toBeGreaterThan(0);
  }, 60_000);

  it('accepts records until the brokers have created the new partitions', async () => {
    const log = open();
    const topic = await newTopic(log);
    const { produce } = Broker.prototype;
    let unmade = 3;
    vi.spyOn(Broker.prototype, 'produce').mockImplementation(async function (this: unknown, given) {
      if (given.topicData[0]?.topic === `${topic}.from-2` && unmade > 0) {
        await publishTo(log, topic, 'a', String(unmade--));
        throw answered('NOT_LEADER_FOR_PARTITION');
      }
      return produce.call(this, given);
    });
    expect(await repartitionKafkaTopic(connection, { topic, partitions: 3 })).toBe(true);
    expect(unmade).toBe(0);
  }, 60_000);

  it('uses the number of partitions of the run that was first', async () => {
    const topic = await newTopic(open());
    const run = (partitions: number) => repartitionKafkaTopic(connection, { topic, partitions });
    const { createTopics } = Broker.prototype;
    vi.spyOn(Broker.prototype, 'createTopics').mockImplementationOnce(async function (this: unknown, given) {
      await run(5);
      return createTopics.call(this, given);
    });
    await expect(run(3)).rejects.toThrow(`${topic} is being given 5 partitions`);
    expect(await open().endOffsets(topic)).toHaveLength(2 + 5);
  }, 60_000);

  it('refuses a topic that does not exist', async () => {
    const topic = newGroup();
    await expect(repartitionKafkaTopic(connection, { topic, partitions: 3 })).rejects.toThrow(UnknownTopic);
  });

  it.each(['has 3 partitions', 'takes no more records'])(
    'completes a run that ended once a topic %s',
    async (step) => {
      const log = open();
      const topic = await newTopic(log, { partitions: 2 });
      await publishTo(log, topic, 'a', '1');
      const run = (partitions: number, onProgress = (_: string) => {}) =>
        repartitionKafkaTopic(connection, { topic, partitions, onProgress });
      const crash = (message: string) => {
        if (message.endsWith(step)) throw new Error('crashed');
      };
      await expect(run(3, crash)).rejects.toThrow('crashed');
      await expect(run(5)).rejects.toThrow(/run it again with that number first/);
      expect(await run(3)).toBe(true);
      expect(await run(3)).toBe(false);
      await eventually(() => publishTo(log, topic, 'a', '2'));
      expect(await run(2)).toBe(true);
      await eventually(() => publishTo(log, topic, 'a', '3'));
      const { records } = await collect(open(), [topic], 3);
      expect(records.map(({ partition, value }) => [partition, String(value)])).toEqual([
        [partitionFor('a', 2), '1'],
        [2 + partitionFor('a', 3), '2'],
        [5 + partitionFor('a', 2), '3'],
      ]);
    },
    120_000,
  );
});
