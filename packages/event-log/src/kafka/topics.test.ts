import { eventually, kafkaBrokers } from '@switchboard/testkit';
import { Kafka } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKafkaLog } from '../index.ts';
import { newGroup, newTopic } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { EventLog, TopicSpec } from '../types.ts';

const brokers = await kafkaBrokers();

describe.skipIf(!brokers)('topics on Kafka', () => {
  const admin = new Kafka({ brokers: brokers ?? [], logCreator: () => () => {} }).admin();
  const logs: EventLog[] = [];
  beforeAll(() => admin.connect());
  afterAll(async () => {
    await admin.disconnect();
    await Promise.all(logs.map((log) => log.close()));
  });

  function open(): EventLog {
    const log = openKafkaLog({ brokers: brokers ?? [], clientId: 'topics' });
    logs.push(log);
    return log;
  }
  const specOf = (name: string): TopicSpec => ({ name, partitions: 2, replication: 1, cleanup: 'delete' });

  it('are there for each of several services that create them at once', async () => {
    const services = Array.from({ length: 6 }, open);
    for (let round = 0; round < 4; round++) {
      const specs = Array.from({ length: 4 }, () => specOf(`shared-${newGroup()}`));
      await Promise.all(
        services.map(async (log) => {
          await log.createTopics(specs);
          for (const { name } of specs) await log.publish(name, [record('a')]);
        }),
      );
    }
  }, 60_000);

  it('are created while the process asks for topics that do not exist yet', async () => {
    const log = open();
    for (let round = 0; round < 4; round++) {
      const name = `asked-${newGroup()}`;
      let isCreated = false;
      const ask = async (): Promise<void> => {
        while (!isCreated) await log.lag('group', [name, `other-${name}`]).catch(() => undefined);
      };
      const asking = [ask(), ask()];
      await log.createTopics([specOf(name)]).finally(() => (isCreated = true));
      await Promise.all(asking);
      expect(await log.endOffsets(name)).toEqual([0n, 0n]);
    }
  }, 60_000);

  it('are created again by a process that knew them before they were deleted', async () => {
    const log = open();
    const name = await newTopic(log);
    expect(await log.endOffsets(name)).toEqual([0n, 0n]);
    await admin.deleteTopics({ topics: [name] });
    await eventually(async () => expect(await admin.listTopics()).not.toContain(name));
    await log.createTopics([specOf(name)]);
    expect(await admin.listTopics()).toContain(name);
  }, 60_000);
});
