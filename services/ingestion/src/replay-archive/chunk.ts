import { createHash } from 'node:crypto';
import { type ReplayRecord, replayRecord } from '@switchboard/contracts';
import type { StoredRecord } from '@switchboard/event-log';
import { EVENTS_MARKER } from './object.ts';

/** A record, or the chunk that it is part of, is not what it should be. The message says why. */
export class UnreadableRecord extends Error {
  override name = 'UnreadableRecord';
}

/** Where a chunk belongs. */
export interface ChunkName {
  projectId: string;
  sessionId: string;
  seq: number;
  /** The first 32 hex digits of the SHA-256 of its bytes as published. */
  hash: string;
}

/** What the manifest keeps of a chunk. */
export interface ChunkFacts extends ChunkName {
  distinctId: string;
  masked: boolean;
  /** How many. */
  events: number;
  /** Of its events; without any that says its time, of the chunk. */
  firstAt: Date;
  lastAt: Date;
  receivedAt: Date;
  /** Of its JSON. */
  bytes: number;
  /** Where the record that completed it is in the log. */
  offset: bigint;
}

export interface Chunk {
  facts: ChunkFacts;
  /** JSON of a ReplayRecord whose last property is `events`. */
  json: Buffer;
}

/** Reads the joined parts of a chunk. Throws UnreadableRecord. */
export function readChunk(parts: readonly StoredRecord[]): Chunk {
  const first = parts[0];
  const bytes = Buffer.concat(parts.map(({ value }) => value ?? Buffer.alloc(0)));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  if (first === undefined || first.headers['chunk'] !== hash) {
    throw new UnreadableRecord('the bytes are not those that the header chunk names');
  }
  const json = parseJson(bytes);
  const parsed = replayRecord.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UnreadableRecord(`${issue?.path.join('.') || 'chunk'}: ${issue?.message ?? 'not valid'}`);
  }
  const record = parsed.data;
  const receivedAt = realTime(Date.parse(first.headers['received_at'] ?? '')) ?? new Date(first.timestamp);
  const times = eventTimes(record.events);
  const fallback = realTime(Date.parse(record.timestamp)) ?? receivedAt;
  return {
    facts: {
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
    json: endsWithEvents(json, bytes) ? bytes : rewritten(record),
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
    throw new UnreadableRecord('not valid JSON');
  }
}

/** As rrweb's recorder writes them: milliseconds since 1970 in `timestamp`. */
function eventTimes(events: readonly unknown[]): { first: Date; last: Date } | undefined {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const event of events) {
    if (typeof event !== 'object' || event === null || !('timestamp' in event)) continue;
    const { timestamp } = event;
    if (typeof timestamp !== 'number' || realTime(timestamp) === undefined) continue;
    first = Math.min(first, timestamp);
    last = Math.max(last, timestamp);
  }
  return first <= last ? { first: new Date(first), last: new Date(last) } : undefined;
}

const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time that every part of the archive can write down. */
function realTime(ms: number): Date | undefined {
  return ms >= 0 && ms <= LATEST ? new Date(ms) : undefined;
}

/** Whether reading may take everything from the marker on as the events, as it may with what ingestion publishes. */
function endsWithEvents(json: unknown, bytes: Buffer): boolean {
  const keys = Object.keys(Object(json));
  return (
    keys.at(-1) === 'events' &&
    keys.every((key) => key in replayRecord.shape) &&
    bytes.includes(EVENTS_MARKER) &&
    bytes.subarray(-2).equals(Buffer.from(']}'))
  );
}

function rewritten({ events, ...facts }: ReplayRecord): Buffer {
  return Buffer.from(JSON.stringify({ ...facts, events }));
}
