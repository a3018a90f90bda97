import { type OutgoingRecord, partitionFor } from '@switchboard/event-log';
import { clockCorrection, utcTime } from '../records/times.ts';
import type { EventLine, EventLines } from './event-lines.ts';

/** The maximum bytes of a record's lines. A single line may exceed it slightly. */
export const RECORD_MAX_BYTES = 900_000;

export interface Arrival {
  projectId: string;
  receivedAt: Date;
  /** Whether a known bot sent the batch. */
  isBot: boolean;
  /** The number of partitions of the topic. */
  partitions: number;
}

interface EventRecords {
  records: OutgoingRecord[];
  /** The memory of all record values. */
  memory: Buffer;
}

/**
 * Builds the records of a batch. Each partition gets its events as newline-delimited JSON, in batch order. Each
 * event_id occurs once.
 */
export function eventRecords(
  { sentAt, lines }: EventLines,
  { projectId, receivedAt, isBot, partitions }: Arrival,
): EventRecords {
  const correction = clockCorrection(sentAt, receivedAt);
  const values = new Map<number, Value[]>();
  const seen = lines.length > 1 ? new Set<string>() : undefined;
  let total = 0;
  for (const line of lines) {
    if (seen !== undefined && seen.size === seen.add(line.eventId).size) continue;
    const partition = partitionFor(`${projectId}:${line.distinctId}`, partitions);
    total += addLine(values, partition, line);
  }

  const common = {
    project: projectId,
    received_at: receivedAt.toISOString(),
    sent_at: utcTime(sentAt),
    ...(isBot ? { bot: 'true' } : {}),
  };
  const records: OutgoingRecord[] = [];
  // All values share one allocation. Allocating memory for each would cost more than writing it.
  const memory = Buffer.allocUnsafe(total);
  let at = 0;
  for (const [partition, ofPartition] of values) {
    for (const { lines: ofValue } of ofPartition) {
      const end = writeLines(memory, at, ofValue, correction);
      // Excludes the newline after the last line.
      const value = memory.subarray(at, end - 1);
      records.push({
        partition,
        key: projectId,
        value,
        headers: { ...common, count: String(ofValue.length) },
      });
      at = end;
    }
  }
  return { records, memory };
}

/** Lines that become the value of a record. */
interface Value {
  lines: EventLine[];
  bytes: number;
}

/** Adds a line to the last value of its partition, or to a new one past RECORD_MAX_BYTES. Returns its bytes. */
function addLine(values: Map<number, Value[]>, partition: number, line: EventLine): number {
  const bytes = bytesOf(line);
  const ofPartition = values.get(partition);
  const last = ofPartition?.at(-1);
  if (last !== undefined && last.bytes + bytes <= RECORD_MAX_BYTES) {
    last.lines.push(line);
    last.bytes += bytes;
  } else if (ofPartition === undefined) values.set(partition, [{ lines: [line], bytes }]);
  else ofPartition.push({ lines: [line], bytes });
  return bytes;
}

const OCCURRED_AT = Uint8Array.from(Buffer.from(',"occurred_at":"'));
const AFTER_TIME = Uint8Array.from(Buffer.from('"}\n'));
const TIME_LENGTH = '2026-03-01T09:30:00.000Z'.length;
/** The bytes that a line adds to its event. The last brace of the event is not copied. */
const ADDED_BYTES = OCCURRED_AT.length + TIME_LENGTH + AFTER_TIME.length - 1;

/** Returns the bytes of a line, including the newline. */
function bytesOf({ start, end, cuts }: EventLine): number {
  let bytes = end - start + ADDED_BYTES;
  for (let i = 0; i < cuts.length; i += 2) bytes -= (cuts[i + 1] ?? 0) - (cuts[i] ?? 0);
  return bytes;
}

/** Writes lines. Returns where they end. */
function writeLines(target: Buffer, start: number, lines: readonly EventLine[], correction: number): number {
  let at = start;
  for (const { bytes: source, start: first, end, cuts, timestamp } of lines) {
    let from = first;
    for (let i = 0; i < cuts.length; i += 2) {
      at += source.copy(target, at, from, cuts[i]);
      from = cuts[i + 1] ?? end;
    }
    at += source.copy(target, at, from, end - 1);
    // An event always has a member before this one.
    at = writeBytes(target, at, OCCURRED_AT);
    at = writeAscii(target, at, utcTime(timestamp, correction));
    at = writeBytes(target, at, AFTER_TIME);
  }
  return at;
}

/** Writes a few bytes, for which calling Node.js takes longer. Returns where they end. */
function writeBytes(target: Buffer, at: number, source: Uint8Array): number {
  for (let i = 0; i < source.length; i++) target[at + i] = source[i] ?? 0;
  return at + source.length;
}

function writeAscii(target: Buffer, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) target[at + i] = text.charCodeAt(i);
  return at + text.length;
}
