import { isUtf8 } from 'node:buffer';
import {
  type EventRow,
  eventRow,
  isObject,
  isRfc3339,
  textFault,
  wellFormedJson,
} from '@switchboard/contracts';
import type { StoredRecord } from '@switchboard/event-log';
import { z } from 'zod';
import { eventKey } from './event-key.ts';
import { type EventTexts, type PackedEvents, packTexts } from './packed-events.ts';

/** The line number of a whole record that cannot be decoded. */
const WHOLE_RECORD = -1;

/** A line of a record, or a whole record, that cannot be decoded. */
export interface Undecodable {
  line: number;
  /** The bytes of the line, or the record's value. */
  value: Uint8Array | null;
  reason: string;
  /** Undefined where the record has no project. */
  projectId: string | undefined;
  eventId: string | undefined;
}

/** A record as passed to another thread. */
export type RawRecord = Omit<StoredRecord, 'value'> & { value: Uint8Array | null };

/** The decoded events of a record, and its undecodable parts. */
export interface DecodedRecord {
  /** The keys of the events, in order, separated by commas. Nearly all are only written to the database. */
  keys: string;
  events: PackedEvents;
  undecodable: Undecodable[];
}

/** Skips the properties, which Zod would copy one by one. That takes a third of the time of an event. */
const rowSchema = eventRow.extend({
  properties: z.custom<EventRow['properties']>(isObject, 'not an object').optional(),
});

const NEWLINE = 10;
const MAX_REASON_LENGTH = 300;
const MAX_ID = 200;

interface Decoded extends EventTexts {
  schemaVersion: number;
  occurredAt: number;
}

/** Decodes a record on `events`, each line separately. */
export function decodeRecord(record: RawRecord): DecodedRecord {
  const { value, headers, partition, offset } = record;
  const projectId = headers['project'] || (record.key ?? undefined);
  const receivedAt = Date.parse(headers['received_at'] ?? '');
  const sentAt = Date.parse(headers['sent_at'] ?? '');
  const reason = faultOf(record, receivedAt);
  const found: Decoded[] = [];
  const lines: number[] = [];
  const undecodable: Undecodable[] = [];
  if (reason !== undefined) {
    const copy = value && new Uint8Array(value);
    undecodable.push({ line: WHOLE_RECORD, value: copy, reason, projectId, eventId: undefined });
  }
  let line = 0;
  for (const content of linesOf(reason === undefined ? value : null)) {
    const event = typeof content === 'string' ? decodeLine(content) : 'not UTF-8';
    if (typeof event === 'string') {
      // A copy, because passing a view to another thread transfers its whole buffer, and the record's buffer is
      // freed.
      const copy = new Uint8Array(typeof content === 'string' ? Buffer.from(content) : content);
      undecodable.push({
        line,
        value: copy,
        reason: event,
        projectId,
        eventId: findEventId(String(content)),
      });
    } else {
      found.push(event);
      lines.push(line);
    }
    line++;
  }
  const events = {
    partition,
    offset,
    projectId: projectId ?? '',
    receivedAt,
    sentAt: Number.isNaN(sentAt) ? null : sentAt,
    isBot: headers['bot'] === 'true',
    lines,
    schemaVersions: found.map(({ schemaVersion }) => schemaVersion),
    occurredAt: new Float64Array(found.map(({ occurredAt }) => occurredAt)),
    ...packTexts(found),
  };
  return {
    keys: found.map(({ eventId }) => eventKey(events.projectId, eventId)).join(),
    events,
    undecodable,
  };
}

/** Returns why a record has no events. */
function faultOf({ value, headers }: RawRecord, receivedAt: number): string | undefined {
  if (value === null) return 'value: missing';
  if (!headers['project']) return 'header project: missing';
  return Number.isNaN(receivedAt) ? 'header received_at: not an RFC 3339 date-time' : undefined;
}

/** Returns lines as text, or as bytes where they are not UTF-8. */
function linesOf(bytes: Uint8Array | null): (string | Buffer)[] {
  if (bytes === null) return [];
  const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // Decodes all lines at once, in a fraction of the time.
  const lines = isUtf8(value) ? value.toString().split('\n') : slowLinesOf(value);
  if (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

function slowLinesOf(value: Buffer): (string | Buffer)[] {
  const lines: (string | Buffer)[] = [];
  for (let start = 0; start <= value.length; ) {
    const newline = value.indexOf(NEWLINE, start);
    const end = newline === -1 ? value.length : newline;
    const line = value.subarray(start, end);
    lines.push(isUtf8(line) ? line.toString() : line);
    start = end + 1;
  }
  return lines;
}

/** Returns the event of a line, or the reason why it is invalid. */
function decodeLine(text: string): Decoded | string {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    // The parser's message quotes the line, and reasons are logged.
    return 'not JSON';
  }
  // The parsed value rather than Zod's copy, which drops a property named __proto__.
  const row = raw as EventRow;
  const parsed = isSurelyRow(raw) ? undefined : rowSchema.safeParse(raw);
  if (parsed?.success === false) {
    const issue = parsed.error.issues[0];
    return asReason(`${issue?.path.join('.') || 'line'}: ${issue?.message ?? 'not an event'}`);
  }
  try {
    return eventOf(row);
  } catch (error) {
    if (error instanceof RangeError) return 'nested too deeply';
    throw error;
  }
}

/**
 * Whether the schema certainly accepts the value, in a fraction of the time. A value that fails this check may still
 * be valid.
 */
function isSurelyRow(raw: unknown): boolean {
  if (!isObject(raw)) return false;
  const { session_id: session, properties, context } = raw;
  return (
    isId(raw['distinct_id']) &&
    isId(raw['event_id']) &&
    isId(raw['event_name']) &&
    Number.isSafeInteger(raw['schema_version']) &&
    isTime(raw['timestamp']) &&
    isTime(raw['occurred_at']) &&
    (session === undefined || session === null || isId(session)) &&
    (properties === undefined || isObject(properties)) &&
    (context === undefined || (isObject(context) && Object.values(context).every(isTextOrNull)))
  );
}

const isId = (value: unknown) => typeof value === 'string' && textFault(value, 1, MAX_ID) === undefined;
const isTime = (value: unknown) => typeof value === 'string' && isRfc3339(value);
const isTextOrNull = (value: unknown) => typeof value === 'string' || value === null;

function eventOf(row: EventRow): Decoded {
  return {
    eventId: row.event_id,
    eventName: row.event_name,
    distinctId: row.distinct_id,
    sessionId: row.session_id ?? null,
    schemaVersion: row.schema_version,
    timestamp: row.timestamp,
    occurredAt: Date.parse(row.occurred_at),
    properties: row.properties === undefined ? null : wellFormedJson(row.properties),
    context: row.context === undefined ? null : wellFormedJson(row.context),
  };
}

function asReason(message: string): string {
  return message.replaceAll('\0', '').toWellFormed().slice(0, MAX_REASON_LENGTH);
}

const EVENT_ID_PROPERTY = /"event_id"\s*:\s*("(?:[^"\\]|\\.){1,1200}")/;

/** Returns a valid event id from an invalid line. */
function findEventId(line: string): string | undefined {
  try {
    return eventRow.shape.event_id.safeParse(JSON.parse(EVENT_ID_PROPERTY.exec(line)?.[1] ?? 'null')).data;
  } catch {
    return undefined;
  }
}
