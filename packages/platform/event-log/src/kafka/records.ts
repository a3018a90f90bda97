import type { Batch, KafkaMessage } from 'kafkajs';
import type { StoredRecord } from '../types.ts';

/** Returns the records with the topic and partition number that readers see. */
export function recordsOf(
  batch: Batch,
  { topic, partition }: Pick<StoredRecord, 'topic' | 'partition'>,
): StoredRecord[] {
  return batch.messages.map((message) => ({
    topic,
    partition,
    offset: BigInt(message.offset),
    key: message.key === null ? null : message.key.toString(),
    value: message.value,
    headers: headersOf(message),
    timestamp: Number(message.timestamp),
  }));
}

/** Returns the last offset, which may be past the last message because compaction and transactions leave gaps. */
export function lastOffsetOf(batch: Batch): bigint {
  return BigInt(batch.lastOffset());
}

function headersOf(message: KafkaMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers ?? {})) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last !== undefined) headers[name] = last.toString();
  }
  return headers;
}
