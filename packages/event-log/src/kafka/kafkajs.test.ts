import { randomUUID } from 'node:crypto';
import { kafkaBrokers } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKafkaLog } from '../index.ts';
import { adapters, collect, newTopic, type TestLog } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';

const kafka = adapters.find((adapter) => adapter.name === 'Kafka');

describe.skipIf(!kafka?.available)('patched kafkajs', () => {
  let logs: TestLog | undefined;
  beforeAll(async () => {
    logs = await kafka?.start();
  });
  afterAll(() => logs?.close());

  it('causes no Node.js warning', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error): number => warnings.push(warning.name);
    process.on('warning', listen);
    const log = logs?.open();
    if (!log) return;
    const topic = await newTopic(log);
    for (let i = 0; i < 20; i++) await log.publish(topic, [record(`${i}`)]);
    await collect(log, [topic], 20);
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });

  it.each(['none', 'gzip', 'zstd'] as const)(
    'what was sent with compression %s comes back',
    async (compression) => {
      const brokers = (await kafkaBrokers()) ?? [];
      const log = openKafkaLog({ brokers, clientId: 'codecs', compression });
      const topic = await newTopic(log);
      const values = Array.from({ length: 3 }, (_, i) => `${i}`.repeat(50_000));
      await log.publish(
        topic,
        values.map((value) => record(value)),
      );
      const { records } = await collect(log, [topic], 3);
      expect(records.map((one) => String(one.value))).toEqual(values);
      await log.close();
    },
  );

  it('returns the offsets of a topic that is being created', async () => {
    const brokers = (await kafkaBrokers()) ?? [];
    const [one, other] = [
      openKafkaLog({ brokers, clientId: 'one' }),
      openKafkaLog({ brokers, clientId: 'other' }),
    ];
    for (let round = 0; round < 15; round++) {
      const name = `made-${randomUUID()}`;
      const spec = { name, partitions: 8, replication: 1, cleanup: 'delete' as const };
      await Promise.all([one.createTopics([spec]), other.createTopics([spec])]);
      expect(await Promise.all([one.endOffsets(name), other.endOffsets(name)])).toEqual(
        Array(2).fill(Array(8).fill(0n)),
      );
    }
    await Promise.all([one.close(), other.close()]);
  });
});
