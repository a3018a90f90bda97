import { eventually, kafkaBrokers } from '@switchboard/testkit';
import { Kafka } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKafkaLog } from '../index.ts';
import { newGroup, newTopic } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { EventLog, LogEntry } from '../types.ts';

const brokers = await kafkaBrokers();

describe.skipIf(!brokers)('a group whose offset is not stored any more', () => {
  const entries: LogEntry[] = [];
  let log: EventLog;
  const admin = new Kafka({ brokers: brokers ?? [], logCreator: () => () => {} }).admin();
  beforeAll(async () => {
    log = openKafkaLog({ brokers: brokers ?? [], clientId: 'back', onLog: (entry) => entries.push(entry) });
    await admin.connect();
  });
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

  it('reads what is stored, says so, and drops what it holds first', async () => {
    const { topic, group, events, read } = await start('1000');
    const consumption = await read();
    await eventually(() => expect(events).toEqual(['revoked', 'a', 'b', 'c']), { withinMs: 30_000 });
    await eventually(async () => expect(await log.committedOffsets(group, topic)).toEqual([3n]));
    await consumption.stop();
    const said = entries.filter(({ message }) => message.includes(topic));
    expect(said.map(({ level, message }) => [level, message.slice(0, 80)])).toEqual([
      ['error', expect.stringContaining(`${group} was at offset 1000`.slice(0, 80))],
    ]);
  });

  it('says that records expired before they were read, and goes on with the first that is stored', async () => {
    const { topic, group, events, read } = await start('0');
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
    const consumption = await read();
    await eventually(() => expect(events).toContain('c'), { withinMs: 30_000 });
    expect(events.filter((one) => one !== 'revoked')).toEqual(['c']);
    await consumption.stop();
    expect(entries.filter(({ message }) => message.startsWith(`${group} was at offset 0`))).toHaveLength(1);
  });

  it('reads a topic that was recreated while it consumes from its start', async () => {
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
  }, 90_000);
});
