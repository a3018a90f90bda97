import { isUtf8 } from 'node:buffer';
import { eventRow, isObject } from '@switchboard/contracts';
import type { StoredRecord } from '@switchboard/event-log';
import type { ArchivedEvent } from './archived-event.ts';

/** Stands for the line where a whole record cannot be decoded. */
const WHOLE_RECORD = -1;

/** A line of a record, or a whole record, that cannot be decoded. */
export interface Undecodable {
  record: StoredRecord;
  line: number;
  /** The bytes of the line, or the record's value. */
  value: Buffer | null;
  reason: string;
  /** Undefined where the record does not tell. */
  projectId: string | undefined;
  eventId: string | undefined;
}

interface DecodedRecord {
  events: ArchivedEvent[];
  undecodable: Undecodable[];
}

const NEWLINE = 10;
const MAX_REASON_LENGTH = 300;

/** Decodes a record on `events`, each line on its own. */
export function decodeRecord(record: StoredRecord): DecodedRecord {
  const { value, headers } = record;
  const projectId = headers['project'] || undefined;
  const receivedAt = Date.parse(headers['received_at'] ?? '');
  const sentAt = Date.parse(headers['sent_at'] ?? '');
  const whole = (reason: string): DecodedRecord => ({
    events: [],
    undecodable: [
      {
        record,
        line: WHOLE_RECORD,
        value,
        reason,
        projectId: projectId ?? record.key ?? undefined,
        eventId: undefined,
      },
    ],
  });
  if (value === null) return whole('value: missing');
  if (projectId === undefined) return whole('header project: missing');
  if (Number.isNaN(receivedAt)) return whole('header received_at: not an RFC 3339 date-time');

  const { partition, offset } = record;
  const common = { partition, offset, projectId, receivedAt, sentAt: Number.isNaN(sentAt) ? null : sentAt };
  const events: ArchivedEvent[] = [];
  const undecodable: Undecodable[] = [];
  let line = 0;
  for (const bytes of linesOf(value)) {
    const text = bytes.toString();
    const decoded = isUtf8(bytes) ? decodeLine(text) : 'not UTF-8';
    if (typeof decoded !== 'string') events.push({ ...common, line, ...decoded });
    else
      undecodable.push({
        record,
        line,
        value: bytes,
        reason: decoded,
        projectId,
        eventId: findEventId(text),
      });
    line++;
  }
  return { events, undecodable };
}

function* linesOf(value: Buffer): Generator<Buffer> {
  for (let start = 0; start < value.length; ) {
    const newline = value.indexOf(NEWLINE, start);
    const end = newline === -1 ? value.length : newline;
    yield value.subarray(start, end);
    start = end + 1;
  }
}

/** The event of a line, or the reason why there is none. */
function decodeLine(text: string) {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    // The message of the parser quotes the line, and reasons are logged.
    return 'not JSON';
  }
  const parsed = eventRow.safeParse(raw);
  if (!parsed.success || !isObject(raw)) {
    const issue = parsed.error?.issues[0];
    return asReason(`${issue?.path.join('.') || 'line'}: ${issue?.message ?? 'not an event'}`);
  }
  const event = parsed.data;
  try {
    return {
      eventId: event.event_id,
      eventName: event.event_name,
      distinctId: event.distinct_id,
      sessionId: event.session_id ?? null,
      schemaVersion: event.schema_version,
      timestamp: event.timestamp,
      occurredAt: Date.parse(event.occurred_at),
      // From the parsed JSON rather than Zod's copy, which drops a property named __proto__.
      properties: raw['properties'] === undefined ? null : JSON.stringify(raw['properties']),
      context: raw['context'] === undefined ? null : JSON.stringify(raw['context']),
    };
  } catch (error) {
    if (error instanceof RangeError) return 'nested too deeply';
    throw error;
  }
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
