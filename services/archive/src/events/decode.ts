import { isUtf8 } from 'node:buffer';
import { type EventRow, eventRow, isObject } from '@switchboard/contracts';
import type { StoredRecord } from '@switchboard/event-log';
import { z } from 'zod';
import { type ArchivedEvent, eventKey } from './archived-event.ts';

/** Stands for the line where a whole record cannot be decoded. */
const WHOLE_RECORD = -1;

/** A line of a record, or a whole record, that cannot be decoded. */
export interface Undecodable {
  line: number;
  /** The bytes of the line, or the record's value. */
  value: Uint8Array | null;
  reason: string;
  /** Undefined where the record does not tell. */
  projectId: string | undefined;
  eventId: string | undefined;
}

/** A record as another thread gets it. */
export type RawRecord = Omit<StoredRecord, 'value'> & { value: Uint8Array | null };

/** What of a record says which of its lines are archived. */
export interface DecodedRecord {
  /** Of its events, in order. */
  keys: string[];
  /** The lines of its events. */
  lines: number[];
  /** When its events were accepted, in milliseconds since 1970. */
  receivedAt: number;
  undecodable: Undecodable[];
}

/** Zod would copy the properties one by one, in a third of the time of an event. */
const rowSchema = eventRow.extend({
  properties: z.custom<EventRow['properties']>(isObject, 'not an object').optional(),
});

const NEWLINE = 10;
const MAX_REASON_LENGTH = 300;
/** JSON.stringify can always go as deep as so few characters nest. */
const SURELY_FLAT_LENGTH = 2_000;

/** Decodes a record on `events`, each line on its own, as far as it takes to tell which lines are new. */
export function decodeRecord(record: RawRecord): DecodedRecord {
  const { value, headers } = record;
  const common = commonOf(record);
  const decoded: DecodedRecord = { keys: [], lines: [], receivedAt: record.timestamp, undecodable: [] };
  if (typeof common === 'string' || value === null) {
    const reason = typeof common === 'string' ? common : 'value: missing';
    const projectId = headers['project'] || (record.key ?? undefined);
    decoded.undecodable.push({ line: WHOLE_RECORD, value, reason, projectId, eventId: undefined });
    return decoded;
  }
  const { projectId, receivedAt } = common;
  decoded.receivedAt = receivedAt;
  let line = 0;
  for (const bytes of linesOf(value)) {
    const text = bytes.toString();
    const row = isUtf8(bytes) ? decodeLine(text) : 'not UTF-8';
    if (typeof row === 'string') {
      // A copy, since what is sent to another thread takes its whole buffer along.
      const copy = new Uint8Array(bytes);
      decoded.undecodable.push({ line, value: copy, reason: row, projectId, eventId: findEventId(text) });
    } else {
      decoded.keys.push(eventKey(projectId, row.event_id));
      decoded.lines.push(line);
    }
    line++;
  }
  return decoded;
}

/** The events of a record that was decoded before, without these lines: those that were no events among them. */
export function readEvents(record: RawRecord, without: readonly number[]): ArchivedEvent[] {
  const common = commonOf(record);
  if (typeof common === 'string' || record.value === null) return [];
  const left = new Set(without);
  const events: ArchivedEvent[] = [];
  let line = 0;
  for (const bytes of linesOf(record.value)) {
    if (!left.has(line)) {
      // As it is rather than Zod's copy, which drops a property named __proto__.
      const row = JSON.parse(bytes.toString()) as EventRow;
      events.push({ ...common, line, ...eventOf(row) });
    }
    line++;
  }
  return events;
}

/** What the events of a record have in common, or why it has none. */
function commonOf({ value, headers, partition, offset }: RawRecord) {
  const projectId = headers['project'];
  const receivedAt = Date.parse(headers['received_at'] ?? '');
  const sentAt = Date.parse(headers['sent_at'] ?? '');
  if (value === null) return 'value: missing';
  if (!projectId) return 'header project: missing';
  if (Number.isNaN(receivedAt)) return 'header received_at: not an RFC 3339 date-time';
  return { partition, offset, projectId, receivedAt, sentAt: Number.isNaN(sentAt) ? null : sentAt };
}

function* linesOf(bytes: Uint8Array): Generator<Buffer> {
  const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let start = 0; start < value.length; ) {
    const newline = value.indexOf(NEWLINE, start);
    const end = newline === -1 ? value.length : newline;
    yield value.subarray(start, end);
    start = end + 1;
  }
}

/** The row of a line, or the reason why there is none. */
function decodeLine(text: string): EventRow | string {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    // The message of the parser quotes the line, and reasons are logged.
    return 'not JSON';
  }
  const parsed = rowSchema.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return asReason(`${issue?.path.join('.') || 'line'}: ${issue?.message ?? 'not an event'}`);
  }
  return text.length > SURELY_FLAT_LENGTH && isTooDeep(raw) ? 'nested too deeply' : parsed.data;
}

function isTooDeep(raw: unknown): boolean {
  try {
    JSON.stringify(raw);
    return false;
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}

function eventOf(row: EventRow) {
  return {
    eventId: row.event_id,
    eventName: row.event_name,
    distinctId: row.distinct_id,
    sessionId: row.session_id ?? null,
    schemaVersion: row.schema_version,
    timestamp: row.timestamp,
    occurredAt: Date.parse(row.occurred_at),
    properties: row.properties === undefined ? null : JSON.stringify(row.properties),
    context: row.context === undefined ? null : JSON.stringify(row.context),
  };
}

function asReason(message: string): string {
  return message.replaceAll('\0', '').toWellFormed().slice(0, MAX_REASON_LENGTH);
}

const EVENT_ID_PROPERTY = /"event_id"\s*:\s*("(?:[^"\\]|\\.){1,1200}")/;

/** A valid event id in a line that is no event. */
function findEventId(line: string): string | undefined {
  try {
    return eventRow.shape.event_id.safeParse(JSON.parse(EVENT_ID_PROPERTY.exec(line)?.[1] ?? 'null')).data;
  } catch {
    return undefined;
  }
}
