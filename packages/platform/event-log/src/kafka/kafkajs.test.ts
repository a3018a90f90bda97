import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { eventually, kafkaBrokers } from '@switchboard/testkit';
import { Kafka } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKafkaLog } from '../index.ts';
import { adapters, collect, newTopic, type TestLog } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';

const require = createRequire(import.meta.url);
const logger = new Kafka({ brokers: ['unused:1'], logCreator: () => () => {} }).logger();
const Connection: new (options: object) => { connect(): Promise<unknown>; disconnect(): Promise<unknown> } =
  require('kafkajs/src/network/connection');
const Cluster: new (
  options: object,
) => {
  brokerPool: { refreshMetadata(topics: string[]): Promise<void> };
  metadata(): Promise<unknown>;
  findTopicPartitionMetadata(topic: string): object[];
} = require('kafkajs/src/cluster');

it('keeps no listeners on the socket of a lost broker, however often it disconnects', async () => {
  const server = createServer((socket) => socket.end().resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets: Socket[] = [];
  const connection = new Connection({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    logger,
    connectionTimeout: 5_000,
    requestTimeout: 5_000,
    socketFactory({ host, port, onConnect }: { host: string; port: number; onConnect(): void }) {
      const socket = connect({ host, port }, onConnect);
      sockets.push(socket);
      return socket;
    },
  });
  await connection.connect();
  await eventually(() => expect(sockets[0]?.destroyed).toBe(true));
  for (let i = 0; i < 12; i++) await connection.disconnect();
  expect(sockets.map((socket) => socket.listenerCount('connect'))).toEqual([0]);
  server.close();
});

it('reports that all brokers that it knows are gone', async () => {
  const cluster = new Cluster({
    brokers: ['unused:1'],
    logger,
    retry: { retries: 0 },
  });
  const gone = { metadata: () => Promise.reject(new Error('gone')) };
  Object.assign(cluster.brokerPool, {
    brokers: { 1: gone },
    findBroker: async () => gone,
    refreshMetadataIfNecessary: async () => undefined,
  });
  await expect(cluster.metadata()).rejects.toMatchObject({ name: 'KafkaJSBrokerNotFound' });
});

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
    'decodes what was sent with compression %s',
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

  it('returns the offsets of topics while others are looked up', async () => {
    const brokers = (await kafkaBrokers()) ?? [];
    const creator = openKafkaLog({ brokers, clientId: 'creator' });
    const names = Array.from({ length: 40 }, () => `looked-up-${randomUUID()}`);
    await creator.createTopics(
      names.map((name) => ({ name, partitions: 2, replication: 1, cleanup: 'delete' as const })),
    );
    const [read, placed] = [names.slice(0, 20), names.slice(20)];
    for (let round = 0; round < 5; round++) {
      const log = openKafkaLog({ brokers, clientId: 'reader' });
      const [ends] = await Promise.all([
        Promise.all(read.map((name) => log.endOffsets(name))),
        Promise.all(placed.map((name) => log.partitions(name))),
      ]);
      expect(ends).toEqual(read.map(() => [0n, 0n]));
      await log.close();
    }
    await creator.close();
  });
});
