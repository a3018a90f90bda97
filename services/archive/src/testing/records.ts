import { createHash } from 'node:crypto';
import { type EventBatch, replayChunk } from '@switchboard/contracts';
import { type OutgoingRecord, partitionFor } from '@switchboard/event-log';

/** Records as ingestion publishes them. */

const PART_BYTES = 900_000;

export type SentEvent = EventBatch['events'][number];

interface Arrival {
  projectId: string;
  receivedAt: Date;
  sentAt?: string;
  partitions: number;
}

/** Returns one record per partition, with each event_id once. */
export function eventRecords(events: readonly SentEvent[], arrival: Arrival): OutgoingRecord[] {
  const { projectId, receivedAt, sentAt = receivedAt.toISOString(), partitions } = arrival;
  const isFirst = ({ event_id }: SentEvent, index: number) =>
    events.findIndex((other) => other.event_id === event_id) === index;
  const byPartition = Map.groupBy(events.filter(isFirst), ({ distinct_id }) =>
    partitionFor(`${projectId}:${distinct_id}`, partitions),
  );
  return [...byPartition].map(([partition, own]) => {
    const lines = own.map((event) =>
      JSON.stringify({ ...event, occurred_at: new Date(event.timestamp).toISOString() }),
    );
    const headers = {
      project: projectId,
      received_at: receivedAt.toISOString(),
      sent_at: sentAt,
      count: String(own.length),
    };
    return { partition, key: projectId, value: Buffer.from(lines.join('\n')), headers };
  });
}

/** Returns the parts of a chunk, in order. */
export function replayRecords(projectId: string, chunk: object, partitions = 1): OutgoingRecord[] {
  const { api_key: _, events, ...metadata } = replayChunk.parse(chunk);
  const around = JSON.stringify({ project_id: projectId, ...metadata, events: [] });
  const bytes = Buffer.concat([Buffer.from(around.slice(0, -2)), events.bytes, Buffer.from(']}')]);
  const key = `${projectId}:${metadata.session_id}`;
  const parts = Math.ceil(bytes.length / PART_BYTES);
  return Array.from({ length: parts }, (_, index) => ({
    partition: partitionFor(key, partitions),
    key,
    value: bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES),
    headers: {
      project: projectId,
      session: metadata.session_id,
      seq: String(metadata.seq),
      received_at: new Date().toISOString(),
      chunk: hashOf(bytes),
      parts: String(parts),
      part: String(index + 1),
    },
  }));
}

/** Returns the name of a chunk: the first 32 hex digits of its SHA-256. */
export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}
