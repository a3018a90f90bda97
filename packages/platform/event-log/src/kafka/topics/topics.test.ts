import { eventually, kafkaBrokers } from '@switchboard/testkit';
import kafkajs, { Kafka } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKafkaLog, repartitionKafkaTopic } from '../../index.ts';
import { newGroup, newTopic } from '../../testing/adapters.ts';
import { record } from '../../testing/records.ts';
import type { EventLog, LogEntry, TopicSpec } from '../../types.ts';

const brokers = await kafkaBrokers();

describe.skipIf(!brokers)('topics on Kafka', () => {
  const admin = new Kafka({ brokers: brokers ?? [], logCreator: () => () => {} }).admin();
  const logs: EventLog[] = [];
  beforeAll(() => admin.connect());
  afterAll(async () => {
    await admin.disconnect();
    await Promise.all(logs.map((log) => log.close()));
  });

  function open(onLog?: (entry: LogEntry) => void): EventLog {
    const log = openKafkaLog({ brokers: brokers ?? [], clientId: 'topics', ...(onLog && { onLog }) });
    logs.push(log);
    return log;
  }
  const specOf = (name: string): TopicSpec => ({ name, partitions: 2, replication: 1, cleanup: 'delete' });

  it('creates topics for each of several services that create them at once', async () => {
    const services = Array.from({ length: 6 }, () => open());
    for (let round = 0; round < 4; round++) {
      const specs = Array.from({ length: 4 }, () => specOf(`shared-${newGroup()}`));
      await Promise.all(
        services.map(async (log) => {
          await log.createTopics(specs);
          for (const { name } of specs) await log.publish(name, [record('a')]);
        }),
      );
      for (const { name } of specs) {
        const offsets = await open().endOffsets(name);
        expect(offsets.reduce((sum, offset) => sum + offset, 0n)).toBe(6n);
      }
    }
  });

  it('creates a topic while the process asks for topics that do not exist yet', async () => {
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
  });

  it('creates a topic again in a process that knew it before it was deleted', async () => {
    const log = open();
    const name = await newTopic(log);
    expect(await log.endOffsets(name)).toEqual([0n, 0n]);
    await admin.deleteTopics({ topics: [name] });
    await eventually(async () => expect(await admin.listTopics()).not.toContain(name));
    await log.createTopics([specOf(name)]);
    expect(await admin.listTopics()).toContain(name);
  });

  describe('topics that exist', () => {
    const HOUR_MS = 3_600_000;
    const { TOPIC } = kafkajs.ConfigResourceTypes;

    async function configOf(name: string, ...names: string[]) {
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: TOPIC, name, configNames: names }],
      });
      const entries = resources.flatMap(({ configEntries }) => configEntries);
      return Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]));
    }

    it('applies settings that lose no records, and keeps those that an operator made', async () => {
      const said: LogEntry[] = [];
      const log = open((entry) => said.push(entry));
      const name = `kept-${newGroup()}`;
      const spec = { ...specOf(name), retentionMs: HOUR_MS, deadLetter: false };
      await log.createTopics([{ ...spec, maxMessageBytes: 1_000_000 }]);
      const own = {
        'segment.bytes': '2000000',
        'max.message.bytes': '1000000',
        'retention.ms': String(HOUR_MS),
      };
      await admin.alterConfigs({
        validateOnly: false,
        resources: [
          {
            type: TOPIC,
            name,
            configEntries: Object.entries(own).map(([key, value]) => ({ name: key, value })),
          },
        ],
      });
      await log.createTopics([{ ...spec, retentionMs: 2 * HOUR_MS }]);
      await eventually(async () =>
        expect(await configOf(name, 'segment.bytes', 'retention.ms', 'max.message.bytes')).toEqual({
          'segment.bytes': '2000000',
          'retention.ms': String(2 * HOUR_MS),
          'max.message.bytes': String(8 * 1024 * 1024),
        }),
      );
      expect(said.map(({ level }) => level)).toEqual(['info']);
    });

    it('leaves a topic alone that is being repartitioned, and explains how to continue', async () => {
      const spec: TopicSpec = { ...specOf(`begun-${newGroup()}`), deadLetter: false, anyPartitions: true };
      await open().createTopics([spec]);
      const connection = { brokers: brokers ?? [], clientId: 'topics' };
      const run = (onProgress = (_: string) => {}) =>
        repartitionKafkaTopic(connection, { topic: spec.name, partitions: 3, settleMs: 0, onProgress });
      await expect(
        run((message) => {
          throw new Error(message);
        }),
      ).rejects.toThrow('is paused until this ends');
      const said: LogEntry[] = [];
      await open((entry) => said.push(entry)).createTopics([spec]);
      await run();
      await open((entry) => said.push(entry)).createTopics([spec]);
      expect(said).toEqual([
        {
          level: 'warn',
          message: `publishing to ${spec.name} is paused until it has 3 partitions. Unless that is in progress, run switchboard topics repartition ${spec.name} --to 3`,
        },
      ]);
    });

    it('uses a topic with fewer partitions than the settings ask for, and explains how to add more', async () => {
      const said: LogEntry[] = [];
      const log = open((entry) => said.push(entry));
      const spec: TopicSpec = { ...specOf(`few-${newGroup()}`), deadLetter: false, anyPartitions: true };
      await log.createTopics([spec]);
      await log.createTopics([{ ...spec, partitions: 5 }]);
      expect(await log.endOffsets(spec.name)).toEqual([0n, 0n]);
      expect(said).toEqual([
        {
          level: 'warn',
          message: `topic ${spec.name} has 2 partitions, TOPIC_PARTITIONS is 5: run switchboard topics repartition ${spec.name} --to 5`,
        },
      ]);
    });

    it('keeps records that the settings would delete, and explains how to delete them', async () => {
      const said: LogEntry[] = [];
      const log = open((entry) => said.push(entry));
      const name = `long-${newGroup()}`;
      await log.createTopics([{ ...specOf(name), deadLetter: false, retentionMs: 2 * HOUR_MS }]);
      await log.createTopics([{ ...specOf(name), deadLetter: false, retentionMs: HOUR_MS }]);
      expect(await configOf(name, 'retention.ms')).toEqual({ 'retention.ms': String(2 * HOUR_MS) });
      expect(said).toEqual([
        {
          level: 'info',
          message: expect.stringContaining(
            `run kafka-configs.sh --bootstrap-server ${brokers?.join()} --alter --entity-type topics --entity-name ${name} --add-config retention.ms=${HOUR_MS}`,
          ),
        },
      ]);
    });

    it('uses topics with too few copies as they are, with a warning', async () => {
      const said: LogEntry[] = [];
      const log = open((entry) => said.push(entry));
      const name = `single-${newGroup()}`;
      await log.createTopics([{ ...specOf(name), deadLetter: false }]);
      await log.createTopics([{ ...specOf(name), deadLetter: false, replication: 3 }]);
      // If two replicas had to confirm, every record would be rejected.
      await log.publish(name, [record('a')]);
      expect(said).toEqual([
        {
          level: 'warn',
          message: `topic ${name} has 1 replicas, TOPIC_REPLICATION is 3: the cluster has 1 brokers: add 2, then restart`,
        },
      ]);
    });
  });
});
