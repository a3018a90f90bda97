import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import kafkajs, { type Kafka } from 'kafkajs';

const decompress = promisify(zstdDecompress);

interface Wanted {
  from: Offsets;
  to: Offsets;
  /** The text before an event's number. */
  prefix: string;
  firstNumber: number;
  count: number;
}

export type Offsets = Map<number, bigint>;

export async function endOffsets(kafka: Kafka, topic: string): Promise<Offsets> {
  const admin = kafka.admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  return new Map(offsets.map(({ partition, high }) => [partition, BigInt(high)]));
}

/** Counts each event number on the topic between two offsets, at index `number - firstNumber`. */
export async function storedNumbers(
  kafka: Kafka,
  topic: string,
  { from, to, prefix, firstNumber, count }: Wanted,
): Promise<Uint8Array> {
  const before = Buffer.from(prefix);
  kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
    compress: () => Promise.reject(new Error('this codec only reads')),
    decompress: (buffer: Buffer) => decompress(buffer),
  });
  const times = new Uint8Array(count);
  const missing = new Set(
    [...to].filter(([partition, end]) => end > (from.get(partition) ?? 0n)).map(([p]) => p),
  );
  const consumer = kafka.consumer({
    groupId: `bench-${process.pid}-${Date.now()}`,
    maxBytesPerPartition: 8e6,
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const done = Promise.withResolvers<void>();
  if (missing.size === 0) done.resolve();
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: true,
    async eachBatch({ batch }) {
      const end = to.get(batch.partition) ?? 0n;
      for (const { offset, value } of batch.messages) {
        if (value !== null && BigInt(offset) < end) countIn(value, before, times, firstNumber);
      }
      if (BigInt(batch.lastOffset()) + 1n >= end) missing.delete(batch.partition);
      if (missing.size === 0) done.resolve();
    },
  });
  for (const [partition, offset] of from) consumer.seek({ topic, partition, offset: String(offset) });
  await done.promise;
  await consumer.disconnect();
  return times;
}

function countIn(value: Buffer, prefix: Buffer, times: Uint8Array, firstNumber: number): void {
  for (let at = value.indexOf(prefix); at >= 0; at = value.indexOf(prefix, at + prefix.length)) {
    const start = at + prefix.length;
    const number = Number(value.toString('latin1', start, value.indexOf('"', start))) - firstNumber;
    times[number] = (times[number] ?? 0) + 1;
  }
}
