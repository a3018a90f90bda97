import { replayRecord } from '@switchboard/contracts';
import type { StoredRecord } from '@switchboard/event-log';
import { chunkHash, fairnessKeyOfProject } from '@switchboard/http';
import { type Chunk, EVENTS_MARKER } from './chunk.ts';
import { scanEvents, storableTime } from './scan.ts';

/** A record or its chunk is invalid. The message gives the reason. */
export class InvalidRecord extends Error {
  override name = 'InvalidRecord';
}

/** The interface limits the properties besides the events to well below this. */
const MAX_METADATA_BYTES = 100_000;

/** Decodes the parts of a chunk, in order. Yields to the event loop for a large chunk. Throws InvalidRecord. */
export async function decodeChunk(parts: readonly StoredRecord[]): Promise<Chunk> {
  const first = parts[0];
  const fairnessKey = fairnessKeyOfProject(first?.headers['project'] ?? '');
  const values = parts.map(({ value }) => value ?? Buffer.alloc(0));
  const hash = await chunkHash(values, fairnessKey);
  if (first === undefined || first.headers['chunk'] !== hash) {
    throw new InvalidRecord('header chunk: not the hash of the bytes');
  }
  const bytes = Buffer.concat(values);
  const { metadata: record, events } = await readJson(bytes, fairnessKey);
  const receivedAt =
    storableTime(Date.parse(first.headers['received_at'] ?? '')) ?? new Date(first.timestamp);
  // Missing on records of versions without correction.
  const correctionMs = Number(first.headers['correction'] ?? 0) || 0;
  const corrected = (time: number) => storableTime(time + correctionMs);
  const fallback = corrected(Date.parse(record.timestamp)) ?? receivedAt;
  return {
    metadata: {
      projectId: record.project_id,
      sessionId: record.session_id,
      seq: record.seq,
      hash,
      distinctId: record.distinct_id,
      masked: record.masked,
      events: events.count,
      facts: events.facts,
      firstAt: (events.times && corrected(events.times.first.getTime())) ?? fallback,
      lastAt: (events.times && corrected(events.times.last.getTime())) ?? fallback,
      receivedAt,
      bytes: bytes.length,
      offset: lastOffset(parts, first.offset),
    },
    json: bytes,
  };
}

function lastOffset(parts: readonly StoredRecord[], from: bigint): bigint {
  let last = from;
  for (const { offset } of parts) if (offset > last) last = offset;
  return last;
}

/** Parses the JSON around the events, and counts the events. */
async function readJson(bytes: Buffer, fairnessKey: string) {
  const marker = bytes.indexOf(EVENTS_MARKER);
  const start = marker + EVENTS_MARKER.length;
  const events = marker < 0 ? undefined : await scanEvents(bytes, start, fairnessKey);
  const around = events === undefined ? [bytes] : [bytes.subarray(0, start), bytes.subarray(events.end)];
  const json = parseJson(Buffer.concat(around));
  const parsed = replayRecord.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new InvalidRecord(`${issue?.path.join('.') || 'chunk'}: ${issue?.message ?? 'not valid'}`);
  }
  // Readers find the events by the marker, and end two bytes before the end.
  if (events?.end !== bytes.length - 2) throw new InvalidRecord('events: not the last property');
  return { metadata: parsed.data, events };
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length > MAX_METADATA_BYTES)
    throw new InvalidRecord('chunk: properties other than events are too large');
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new InvalidRecord('chunk: not valid JSON');
  }
}
