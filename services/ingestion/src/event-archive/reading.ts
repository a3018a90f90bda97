import { isUtf8 } from 'node:buffer';
import { eventRow, isObject } from '@switchboard/contracts';
import type { StoredRecord } from '@switchboard/event-log';
import type { ArchivedEvent } from './archived-event.ts';

/** Stands for the line where it is the whole record that cannot be read. */
const WHOLE_RECORD = -1;

/** What cannot be read: a line of a record, or the record. */
export interface Unreadable {
  record: StoredRecord;
  line: number;
  /** The bytes of the line, or the record's value. */
  value: Buffer | null;
  reason: string;
  /** As far as they can be told. */
  projectId: string | undefined;
  eventId: string | undefined;
}

interface ReadRecord {
  events: ArchivedEvent[];
  unreadable: Unreadable[];
}

const NEWLINE = 10;
const LONGEST_REASON = 300;

/** The events of a record on `events`; each line stands for itself. */
export function readRecord(record: StoredRecord): ReadRecord {
  const { value, headers } = record;
  const projectId = headers['project'] || undefined;
  const receivedAt = Date.parse(headers['received_at'] ?? '');
  const sentAt = Date.parse(headers['sent_at'] ?? '');
  const whole = (reason: string): ReadRecord => ({
    events: [],
    unreadable: [
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
  if (value === null) return whole('the record has no value');
  if (projectId === undefined) return whole('the header project is missing');
  if (Number.isNaN(receivedAt)) return whole('the header received_at is no time');

  const { partition, offset } = record;
  const common = { partition, offset, projectId, receivedAt, sentAt: Number.isNaN(sentAt) ? null : sentAt };
  const events: ArchivedEvent[] = [];
  const unreadable: Unreadable[] = [];
  let line = 0;
  for (const bytes of linesOf(value)) {
    const text = bytes.toString();
    const read = isUtf8(bytes) ? readLine(text) : 'not UTF-8';
    if (typeof read !== 'string') events.push({ ...common, line, ...read });
    else unreadable.push({ record, line, value: bytes, reason: read, projectId, eventId: eventIdIn(text) });
    line++;
  }
  return { events, unreadable };
}

function* linesOf(value: Buffer): Generator<Buffer> {
  for (let start = 0; start < value.length; ) {
    const newline = value.indexOf(NEWLINE, start);
    const end = newline === -1 ? value.length : newline;
    yield value.subarray(start, end);
    start = end + 1;
  }
}

/** The event of a line, or why there is none. */
function readLine(text: string) {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    return asReason(error instanceof Error ? error.message : 'not JSON');
  }
  const parsed = eventRow.safeParse(raw);
  if (!parsed.success || !isObject(raw)) {
    const issue = parsed.error?.issues[0];
    return asReason(`${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'not an event'}`);
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
      // From what was read rather than from Zod's copy, which leaves out a property named __proto__.
      properties: raw['properties'] === undefined ? null : JSON.stringify(raw['properties']),
      context: raw['context'] === undefined ? null : JSON.stringify(raw['context']),
    };
  } catch (error) {
    if (error instanceof RangeError) return 'nested too deeply';
    throw error;
  }
}

function asReason(message: string): string {
  return message.replaceAll('\0', '').toWellFormed().slice(0, LONGEST_REASON);
}

const eventIdProperty = /"event_id"\s*:\s*("(?:[^"\\]|\\.){1,1200}")/;

/** An event id found in a line that is no event. */
function eventIdIn(line: string): string | undefined {
  try {
    const id: unknown = JSON.parse(eventIdProperty.exec(line)?.[1] ?? 'null');
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
