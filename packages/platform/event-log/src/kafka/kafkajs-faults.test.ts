import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { eventually } from '@switchboard/testkit';
import { Kafka } from 'kafkajs';
import { expect, it, onTestFinished } from 'vitest';

// The parts of kafkajs that the patch changes, each alone.
const require = createRequire(import.meta.url);
const logger = new Kafka({ brokers: ['unused:1'], logCreator: () => () => {} }).logger();
const Connection = require('kafkajs/src/network/connection');
const Encoder = require('kafkajs/src/protocol/encoder');
const Cluster = require('kafkajs/src/cluster');
const OffsetManager = require('kafkajs/src/consumer/offsetManager');
const ConsumerGroup = require('kafkajs/src/consumer/consumerGroup');
const Batch = require('kafkajs/src/consumer/batch');
const produceRequest = require('kafkajs/src/protocol/requests/produce/v3/request');
const metadataResponse = require('kafkajs/src/protocol/requests/metadata/v0/response');

/** Starts a broker that hands each connection to `serve`, and a connection to it. */
async function brokerWith(serve: (socket: Socket, connections: number) => void) {
  let connections = 0;
  const server = createServer((socket) =>
    serve(
      socket.on('error', () => {}),
      ++connections,
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets: Socket[] = [];
  const connection = new Connection({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    logger,
    connectionTimeout: 5_000,
    requestTimeout: 200,
    socketFactory(options: { host: string; port: number; onConnect(): void }) {
      const socket = connect({ host: options.host, port: options.port }, options.onConnect);
      sockets.push(socket);
      return socket;
    },
  });
  onTestFinished(async () => {
    await connection.disconnect();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  /** Sends a request without a body, and returns the response as text. */
  const ask = (): Promise<string> =>
    connection.send({
      request: { apiKey: 3, apiVersion: 0, apiName: 'Metadata', encode: async () => new Encoder() },
      response: {
        decode: async (payload: Buffer) => payload,
        parse: async (payload: Buffer) => `${payload}`,
      },
    });
  return { connection, sockets, ask };
}

/** Answers every request with `text`. */
function answer(socket: Socket, text: string): void {
  socket.on('data', (request) => {
    const head = Buffer.alloc(8);
    head.writeInt32BE(4 + text.length);
    request.copy(head, 4, 8, 12);
    socket.write(Buffer.concat([head, Buffer.from(text)]));
  });
}

it('closes a connection that leaves a request unanswered, and uses a new one', async () => {
  const { connection, sockets, ask } = await brokerWith((socket, connections) => {
    if (connections > 1) answer(socket, 'second');
  });
  await connection.connect();
  await expect(ask()).rejects.toMatchObject({ name: 'KafkaJSRequestTimeoutError' });
  expect([sockets[0]?.destroyed, connection.isConnected()]).toEqual([true, false]);
  await connection.connect();
  expect(await ask()).toBe('second');
});

it('keeps a new connection when the socket of the previous one ends', async () => {
  const { connection, sockets, ask } = await brokerWith((socket, connections) => {
    if (connections > 1) answer(socket, 'second');
  });
  await connection.connect();
  await ask().catch(() => undefined);
  await connection.connect();
  sockets[0]?.emit('end');
  expect(await ask()).toBe('second');
});

it('starts a connection without the bytes that the previous one left unread', async () => {
  const { connection, ask } = await brokerWith((socket, connections) => {
    if (connections > 1) answer(socket, 'second');
    else socket.end(Buffer.from([0, 0, 0, 100, 1]));
  });
  await connection.connect();
  await eventually(() => expect(connection.isConnected()).toBe(false));
  await connection.connect();
  expect(await ask()).toBe('second');
});

const LEADERLESS = [
  { partitionErrorCode: 5, partitionId: 0, leader: -1, replicas: [1], isr: [] },
  { partitionErrorCode: 0, partitionId: 1, leader: 1, replicas: [1], isr: [1] },
];

it('reads the metadata of a topic that has a partition without a leader', async () => {
  const found = { topicMetadata: [{ topicErrorCode: 0, topic: 'a', partitionMetadata: LEADERLESS }] };
  expect(await metadataResponse.parse(found)).toBe(found);
});

it('finds no leader of a partition that has none, and finds those of the others', async () => {
  const cluster = new Cluster({ brokers: ['unused:1'], logger, retry: { retries: 0 } });
  cluster.findTopicPartitionMetadata = () => LEADERLESS;
  expect(cluster.findLeaderForPartitions('a', [1])).toEqual({ 1: [1] });
  expect(() => cluster.findLeaderForPartitions('a', [0])).toThrow(
    expect.objectContaining({ type: 'LEADER_NOT_AVAILABLE' }),
  );
});

it.each([
  ['a topic that has a partition without one', 500, LEADERLESS],
  ['a topic with a leader for each partition', 300_000, LEADERLESS.slice(1)],
])('looks again for the leaders of %s after %i ms', async (_, maxAge, partitionMetadata) => {
  const cluster = new Cluster({
    brokers: ['unused:1'],
    logger,
    retry: { retries: 0 },
    metadataMaxAge: 300_000,
  });
  const metadata = { brokers: [], topicMetadata: [{ topic: 'a', partitionMetadata }] };
  const { brokerPool } = cluster;
  brokerPool.seedBroker = { connectionPool: { host: 'unused', port: 1 } };
  brokerPool.findConnectedBroker = async () => ({ metadata: async () => metadata });
  const before = Date.now();
  await brokerPool.refreshMetadata(['a']);
  expect(brokerPool.metadataExpireAt).toBeGreaterThanOrEqual(before + maxAge);
  expect(brokerPool.metadataExpireAt).toBeLessThan(Date.now() + maxAge + 1);
});

it('reads the offsets of partitions that have a leader, while another has none', async () => {
  const asked: unknown[] = [];
  const coordinator = {
    isConnected: () => true,
    async offsetFetch({ topics }: { topics: { topic: string; partitions: { partition: number }[] }[] }) {
      asked.push(topics);
      const responses = topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition }) => ({ partition, offset: '5' })),
      }));
      return { responses };
    },
  };
  const committed = {};
  const offsets = new OffsetManager({
    cluster: {
      committedOffsets: () => committed,
      findTopicPartitionMetadata: () => LEADERLESS,
      findGroupCoordinator: async () => coordinator,
    },
    coordinator,
    memberAssignment: { a: [0, 1] },
    topicConfigurations: { a: { fromBeginning: true } },
    groupId: 'group',
  });
  await offsets.resolveOffsets();
  expect(asked).toEqual([[{ topic: 'a', partitions: [{ partition: 1 }] }]]);
});

it('keeps the offset that a new consumer was told to continue from, and forgets it in a later generation', async () => {
  const group = new ConsumerGroup({ topics: [], logger });
  group.members = [];
  group.coordinator = { syncGroup: async () => Promise.reject(new Error('no answer')) };
  const sync = Object.getOwnPropertySymbols(ConsumerGroup.prototype).find(
    ({ description }) => description === 'private:ConsumerGroup:sync',
  );
  const syncAgain = () => expect(group[sync ?? '']()).rejects.toThrow('no answer');
  group.seek({ topic: 'a', partition: 0, offset: '7' });
  await syncAgain();
  expect(group.hasSeekOffset({ topic: 'a', partition: 0 })).toBe(true);
  group.offsetManager = {};
  await syncAgain();
  expect(group.hasSeekOffset({ topic: 'a', partition: 0 })).toBe(false);
});

it('writes a record batch that is encoded already as it is', async () => {
  const recordBatch = Buffer.from('encoded already');
  const topicData = [{ topic: 'a', partitions: [{ partition: 3, recordBatch, messages: [] }] }];
  const { buffer } = await produceRequest({ acks: -1, timeout: 1, topicData }).encode();
  const size = Buffer.alloc(4);
  size.writeInt32BE(recordBatch.length);
  expect(buffer.subarray(-recordBatch.length - 4)).toEqual(Buffer.concat([size, recordBatch]));
});

it('decodes the rest of a fetch on demand, and continues after the last record', async () => {
  const messages = (...offsets: number[]) => offsets.map((offset) => ({ offset: String(offset) }));
  const first = Object.assign(messages(0, 1), { more: async () => messages(2, 3) });
  const batch = new Batch('a', '0', { partition: 0, highWatermark: '4', messages: first });
  const next = await batch.next();
  expect(next.messages).toEqual(messages(2, 3));
  expect(await next.next()).toBeUndefined();
});
