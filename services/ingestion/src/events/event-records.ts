import { EVENT_MAX_BYTES, type EventBatch } from '@switchboard/contracts';
import { type OutgoingRecord, partitionFor } from '@switchboard/event-log';
import { PayloadTooLarge } from '@switchboard/service-kit';
import { exceedsBytes, serialise } from '../records/serialise.ts';
import { clockCorrection, utcTime } from '../records/times.ts';

/** Bound on a record's lines in bytes. A single line may exceed it slightly. */
export const RECORD_MAX_BYTES = 900_000;

const NEWLINE = 10;

interface Arrival {
  projectId: string;
  receivedAt: Date;
  partitions: number;
}

/**
 * The records of a batch: for each partition its events as newline-delimited JSON, in batch order, each event_id once.
 * Throws PayloadTooLarge when an event exceeds its bound.
 */
export function eventRecords(
  batch: EventBatch,
  { projectId, receivedAt, partitions }: Arrival,
): OutgoingRecord[] {
  const correction = clockCorrection(batch.sent_at, receivedAt);
  const linesByPartition = new Map<number, string[]>();
  const seen = new Set<string>();
  for (let i = 0; i < batch.events.length; i++) {
    const event = batch.events[i];
    if (event === undefined) break;
    const json = serialise(event, () => `events[${i}]`);
    if (exceedsBytes(json, EVENT_MAX_BYTES)) {
      throw new PayloadTooLarge(`events[${i}]: larger than ${EVENT_MAX_BYTES} bytes as JSON`);
    }
    if (seen.size === seen.add(event.event_id).size) continue;
    const partition = partitionFor(`${projectId}:${event.distinct_id}`, partitions);
    // Cheaper than serialising a copy of the event; there is always a property before this one.
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
    for (const { value, count } of splitLines(lines)) {
      const headers = { ...common, count: String(count) };
      records.push({ partition, key: projectId, value, headers });
    }
  }
  return records;
}

interface Lines {
  value: Buffer;
  count: number;
}

/** Joins lines into values of up to RECORD_MAX_BYTES. They are encoded once, and split where they are too large. */
function splitLines(lines: readonly string[]): Lines[] {
  const whole = Buffer.from(lines.join('\n'));
  if (whole.length <= RECORD_MAX_BYTES) return [{ value: whole, count: lines.length }];
  const values: Lines[] = [];
  let start = 0;
  let end = 0;
  let count = 0;
  const close = () => {
    // Without the newline after the last line.
    if (count > 0) values.push({ value: whole.subarray(start, end - 1), count });
    start = end;
    count = 0;
  };
  for (let line = 0; line < lines.length; line++) {
    // JSON escapes newlines, so each one ends a line.
    const newline = whole.indexOf(NEWLINE, end);
    const next = (newline === -1 ? whole.length : newline) + 1;
    if (next - start > RECORD_MAX_BYTES) close();
    end = next;
    count++;
  }
  close();
  return values;
}
