import { EVENT_MAX_BYTES, type EventBatch } from '@switchboard/contracts';
import { type OutgoingRecord, partitionFor } from '@switchboard/event-log';
import { PayloadTooLarge } from '@switchboard/service-kit';
import { serialise, weighsOver } from '../records/serialise.ts';
import { clockCorrection, utcTime } from '../records/times.ts';

/** A record holds lines up to this many bytes; one line alone may be a little longer. */
export const RECORD_MAX_BYTES = 900_000;

interface Arrival {
  projectId: string;
  receivedAt: Date;
  partitions: number;
}

/**
 * The records of a batch: for each partition its events as newline-delimited JSON, in the order of the batch,
 * an event_id once. Throws PayloadTooLarge for an event over its bound.
 */
export function eventRecords(batch: EventBatch, { projectId, receivedAt, partitions }: Arrival) {
  const correction = clockCorrection(batch.sent_at, receivedAt);
  const linesByPartition = new Map<number, string[]>();
  const seen = new Set<string>();
  for (let i = 0; i < batch.events.length; i++) {
    const event = batch.events[i];
    if (event === undefined) break;
    const json = serialise(event, () => `events[${i}]`);
    if (weighsOver(json, EVENT_MAX_BYTES)) {
      throw new PayloadTooLarge(`events[${i}]: larger than ${EVENT_MAX_BYTES} bytes as JSON`);
    }
    if (seen.size === seen.add(event.event_id).size) continue;
    const partition = partitionFor(`${projectId}:${event.distinct_id}`, partitions);
    // Cheaper than a changed copy of the event; an event always has properties before this one.
    const line = `${json.slice(0, -1)},"occurred_at":"${utcTime(event.timestamp, correction)}"}`;
    const lines = linesByPartition.get(partition);
    if (lines === undefined) linesByPartition.set(partition, [line]);
    else lines.push(line);
  }

  const common = {
    project: projectId,
    received_at: receivedAt.toISOString(),
    sent_at: utcTime(batch.sent_at),
  };
  const records: OutgoingRecord[] = [];
  for (const [partition, lines] of linesByPartition) {
    for (const { value, count } of cut(lines)) {
      const headers = { ...common, count: String(count) };
      records.push({ partition, key: projectId, value, headers });
    }
  }
  return records;
}

/** Lines joined into values of up to 900 kB. */
function cut(lines: string[]): { value: Buffer; count: number }[] {
  const whole = lines.join('\n');
  if (!weighsOver(whole, RECORD_MAX_BYTES)) return [{ value: Buffer.from(whole), count: lines.length }];
  const values: { value: Buffer; count: number }[] = [];
  let start = 0;
  let bytes = 0;
  const close = (end: number) => {
    if (end > start)
      values.push({ value: Buffer.from(lines.slice(start, end).join('\n')), count: end - start });
    start = end;
    bytes = 0;
  };
  for (const [i, line] of lines.entries()) {
    const length = Buffer.byteLength(line) + 1;
    if (bytes + length > RECORD_MAX_BYTES) close(i);
    bytes += length;
  }
  close(lines.length);
  return values;
}
