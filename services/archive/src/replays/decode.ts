import { createHash } from 'node:crypto';
import { type ReplayRecord, replayRecord } from '@switchboard/contracts';
import type { StoredRecord } from '@switchboard/event-log';
import { type Chunk, EVENTS_MARKER } from './chunk.ts';

/** A record, or the chunk that it is part of, is not valid. The message says why. */
export class InvalidRecord extends Error {
  override name = 'InvalidRecord';
}

/** Decodes the parts of a chunk, in order. Throws InvalidRecord. */
export function decodeChunk(parts: readonly StoredRecord[]): Chunk {
  const first = parts[0];
  const bytes = Buffer.concat(parts.map(({ value }) => value ?? Buffer.alloc(0)));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  if (first === undefined || first.headers['chunk'] !== hash) {
    throw new InvalidRecord('header chunk: not the hash of the bytes');
  }
  const json = parseJson(bytes);
  const parsed = replayRecord.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new InvalidRecord(`${issue?.path.join('.') || 'chunk'}: ${issue?.message ?? 'not valid'}`);
  }
  const record = parsed.data;
  const receivedAt =
    storableTime(Date.parse(first.headers['received_at'] ?? '')) ?? new Date(first.timestamp);
  const times = eventTimes(record.events);
  const fallback = storableTime(Date.parse(record.timestamp)) ?? receivedAt;
  return {
    metadata: {
      projectId: record.project_id,
      sessionId: record.session_id,
      seq: record.seq,
      hash,
      distinctId: record.distinct_id,
      masked: record.masked,
      events: record.events.length,
      firstAt: times?.first ?? fallback,
      lastAt: times?.last ?? fallback,
      receivedAt,
      bytes: bytes.length,
      offset: lastOffset(parts, first.offset),
    },
    json: endsWithEvents(json, bytes) ? bytes : withEventsLast(record),
  };
}

function lastOffset(parts: readonly StoredRecord[], from: bigint): bigint {
  let last = from;
  for (const { offset } of parts) if (offset > last) last = offset;
  return last;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new InvalidRecord('chunk: not valid JSON');
  }
}

/** rrweb writes milliseconds since 1970 in `timestamp`. */
function eventTimes(events: readonly unknown[]): { first: Date; last: Date } | undefined {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const event of events) {
    if (typeof event !== 'object' || event === null || !('timestamp' in event)) continue;
    const { timestamp } = event;
    if (typeof timestamp !== 'number' || storableTime(timestamp) === undefined) continue;
    first = Math.min(first, timestamp);
    last = Math.max(last, timestamp);
  }
  return first <= last ? { first: new Date(first), last: new Date(last) } : undefined;
}

const MAX_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time that PostgreSQL and RFC 3339 can both hold. */
function storableTime(ms: number): Date | undefined {
  return ms >= 0 && ms <= MAX_TIME ? new Date(ms) : undefined;
}

/** Whether everything after the marker is the events, as in what ingestion publishes. */
function endsWithEvents(json: unknown, bytes: Buffer): boolean {
  const keys = Object.keys(Object(json));
  return (
    keys.at(-1) === 'events' &&
    keys.every((key) => key in replayRecord.shape) &&
    bytes.includes(EVENTS_MARKER) &&
    bytes.subarray(-2).equals(Buffer.from(']}'))
  );
}

function withEventsLast({ events, ...metadata }: ReplayRecord): Buffer {
  return Buffer.from(JSON.stringify({ ...metadata, events }));
}
