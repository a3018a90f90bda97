import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, kafkaBrokers } from '@switchboard/testkit';
import { Kafka } from 'kafkajs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { PartitionLost } from '../errors.ts';
import { openKafkaLog } from '../index.ts';
import { newGroup, newTopic } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { EventLog, LogEntry, RecordBatch } from '../types.ts';

/** Intercepts the moment at which kafkajs commits the group's new position. */
const require = createRequire(import.meta.url);
interface OffsetCommit {
  topics: { topic: string; partitions: { offset: string | number }[] }[];
}
interface CommittingBroker {
  offsetCommit(request: OffsetCommit): Promise<unknown>;
}
const Broker: { prototype: CommittingBroker } = require('kafkajs/src/broker');
const EARLIEST = -2;

const brokers = await kafkaBrokers();

describe.skipIf(!brokers)('a group with an offset that is no longer stored', () => {
  const entries: LogEntry[] = [];
  let log: EventLog;
  const admin = new Kafka({ brokers: brokers ?? [], logCreator: () => () => {} }).admin();
  beforeAll(async () => {
    log = openKafkaLog({ brokers: brokers ?? [], clientId: 'back', onLog: (entry) => entries.push(entry) });
    await admin.connect();
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await admin.disconnect();
    await log.close();
  });

  async function start(offset: string) {
    const topic = await newTopic(log, { partitions: 1 });
    const group = newGroup();
    for (const value of ['a', 'b', 'c']) await log.publish(topic, [record(value)]);
    await admin.setOffsets({ groupId: group, topic, partitions: [{ partition: 0, offset }] });
    const events: string[] = [];
    const read = () =>
      log.consume({
        group,
        topics: [topic],
        onRevoked: () => events.push('revoked'),
        handle: async ({ records }) => void events.push(...records.map(({ value }) => String(value))),
      });
    return { topic, group, events, read };
  }

  it('reads the stored records, logs an error, and first drops the records that it holds', async () => {
    const { topic, group, events, read } = await start('1000');
    const consumption = await read();
    await eventually(() => expect(events).toEqual(['revoked', 'a', 'b', 'c']), { withinMs: 30_000 });
    await eventually(async () => expect(await log.committedOffsets(group, topic)).toEqual([3n]));
    await consumption.stop();
    const said = entries.filter(({ message }) => message.includes(topic));
    expect(said.map(({ level, message }) => [level, message.slice(0, 80)])).toEqual([
      ['error', expect.stringContaining(`${group} is at offset 1000`.slice(0, 80))],
    ]);
  });

  it('reports that records expired before they were read, and continues with the first stored record', async () => {
    const { topic, group, events, read } = await start('0');
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
    const consumption = await read();
    await eventually(() => expect(events).toContain('c'), { withinMs: 30_000 });
    expect(events.filter((one) => one !== 'revoked')).toEqual(['c']);
    await consumption.stop();
    expect(entries.filter(({ message }) => message.startsWith(`${group} is at offset 0`))).toHaveLength(1);
  });

  it('reads a recreated topic from its start while it consumes', async () => {
    const { topic, events, read } = await start('0');
    const consumption = await read();
    await eventually(() => expect(events).toContain('c'));
    events.length = 0;
    await admin.deleteTopics({ topics: [topic] });
    await eventually(async () => {
      await log.createTopics([{ name: topic, partitions: 1, replication: 1, cleanup: 'delete' }]);
      await log.publish(topic, [record('new')]);
    });
    await eventually(() => expect(events).toContain('new'), { withinMs: 60_000 });
    expect(events.indexOf('revoked')).toBeLessThan(events.indexOf('new'));
    await consumption.stop();
  });

  async function recreate(topic: string, values: string[]): Promise<void> {
    await eventually(async () => {
      await log.createTopics([{ name: topic, partitions: 1, replication: 1, cleanup: 'delete' }]);
      await log.publish(
        topic,
        values.map((value) => record(value)),
      );
    });
  }

  const many = (name: string) => Array.from({ length: 20 }, (_, n) => `${name}${n}`);

  it('commits nothing that it read before the offset was reset', async () => {
    const topic = await newTopic(log, { partitions: 1 });
    const group = newGroup();
    const batches: RecordBatch[] = [];
    const seen: string[] = [];
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    for (const value of ['a', 'b', 'c']) await log.publish(topic, [record(value)]);
    const consumption = await log.consume({
      group,
      topics: [topic],
      commit: 'manual',
      async handle(batch) {
        seen.push(...batch.records.map(({ value }) => String(value)));
        // Nothing is fetched while the handler waits, so the consumer notices the new topic by its offset.
        if (batches.push(batch) === 1) await gate;
      },
    });
    await eventually(() => expect(seen).toEqual(['a', 'b', 'c']));
    await admin.deleteTopics({ topics: [topic] });
    await recreate(topic, ['new']);
    const outcomes: unknown[] = [];
    const { offsetCommit } = Broker.prototype;
    vi.spyOn(Broker.prototype, 'offsetCommit').mockImplementation(async function (
      this: CommittingBroker,
      request,
    ) {
      const answer = await offsetCommit.call(this, request);
      const isReset = request.topics.some(
        (one) => one.topic === topic && Number(one.partitions[0]?.offset) === EARLIEST,
      );
      if (!isReset || outcomes.length > 0) return answer;
      // The topic grows past the old offset, and the work on the old records ends.
      await log.publish(
        topic,
        many('later ').map((value) => record(value)),
      );
      outcomes.push(
        await batches[0]?.commit().then(
          () => 'committed',
          (error) => error,
        ),
      );
      return answer;
    });
    release();
    await eventually(() => expect(seen).toContain('later 19'), { withinMs: 30_000 });
    expect(seen).toEqual(['a', 'b', 'c', 'new', ...many('later ')]);
    expect(outcomes).toEqual([expect.any(PartitionLost)]);
    await consumption.stop();
  });

  it('reads all of a recreated topic while work on the old topic is committed repeatedly', async () => {
    const topic = await newTopic(log, { partitions: 1 });
    const batches: RecordBatch[] = [];
    const seen: string[] = [];
    for (const value of ['a', 'b', 'c']) await log.publish(topic, [record(value)]);
    const consumption = await log.consume({
      group: newGroup(),
      topics: [topic],
      commit: 'manual',
      async handle(batch) {
        batches.push(batch);
        seen.push(...batch.records.map(({ value }) => String(value)));
      },
    });
    await eventually(() => expect(seen).toEqual(['a', 'b', 'c']));
    const [old] = batches;
    let isCommitting = true;
    const committing = (async () => {
      for (; isCommitting; await sleep(1)) await old?.commit(3n).catch(() => undefined);
    })();
    await admin.deleteTopics({ topics: [topic] });
    // Long enough to fetch from the deleted topic.
    await sleep(2_000);
    await recreate(topic, many('new '));
    await eventually(() => expect(seen).toContain('new 19'), { withinMs: 60_000 });
    isCommitting = false;
    await committing;
    expect(seen).toEqual(['a', 'b', 'c', ...many('new ')]);
    await consumption.stop();
  });
});
