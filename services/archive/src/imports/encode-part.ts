import { isUtf8 } from 'node:buffer';
import {
  EVENT_MAX_BYTES,
  EVENTS_MAX_COUNT,
  type EventBatch,
  eventBatch,
  IMPORT_PART_MAX_EVENTS,
  problemsOf,
  wellFormedJson,
} from '@switchboard/contracts';
import { type Contents, collectContents } from '../rows/contents.ts';
import { encodeEvents } from '../rows/encode.ts';
import { type ArchivedEvent, compareRows } from '../rows/row.ts';

/** Imported events have no place in the log. */
const IMPORTED_PARTITION = -1;

/** A part of an import, as sent. */
export interface SentPart {
  projectId: string;
  /** One JSON object per line. */
  value: Uint8Array;
  /** The offset of its rows. */
  place: bigint;
  /** Milliseconds since 1970. */
  receivedAt: number;
}

/** The file of a part, or why the part is invalid. */
export type EncodedPart = { fault: string } | { contents: Contents; bytes: Uint8Array };

type SentEvent = EventBatch['events'][number];

class Invalid extends Error {}

/** Validates the events of a part and encodes their file, with each event id once. */
export function encodePart(part: SentPart): EncodedPart {
  try {
    const rows = rowsOf(part);
    const contents = collectContents();
    for (const row of rows) contents.add(row);
    return { contents: contents.get(), bytes: encodeEvents(rows.sort(compareRows)) };
  } catch (error) {
    if (error instanceof Invalid) return { fault: error.message };
    throw error;
  }
}

function rowsOf({ value, ...part }: SentPart): ArchivedEvent[] {
  const lines = linesOf(value);
  const sentAt = new Date(part.receivedAt).toISOString();
  const seen = new Set<string>();
  const rows: ArchivedEvent[] = [];
  for (let start = 0; start < lines.length; start += EVENTS_MAX_COUNT) {
    const sent = lines.slice(start, start + EVENTS_MAX_COUNT);
    const batch = { events: sent.map((line, index) => parse(line, start + index)), sent_at: sentAt };
    const { data, error } = eventBatch.safeParse(batch);
    if (data === undefined) throw new Invalid(problemOf(batch, error, start));
    for (const [index, event] of data.events.entries()) {
      if (seen.has(event.event_id)) continue;
      seen.add(event.event_id);
      rows.push(rowOf(event, start + index, part));
    }
  }
  return rows;
}

function linesOf(value: Uint8Array): string[] {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  if (!isUtf8(bytes)) throw new Invalid('body: not UTF-8');
  const lines = bytes.toString().split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) throw new Invalid('body: no events');
  if (lines.length > IMPORT_PART_MAX_EVENTS)
    throw new Invalid(`body: more than ${IMPORT_PART_MAX_EVENTS} events`);
  return lines;
}

function parse(line: string, index: number): unknown {
  if (Buffer.byteLength(line) > EVENT_MAX_BYTES)
    throw new Invalid(`line ${index + 1}: larger than ${EVENT_MAX_BYTES} bytes`);
  try {
    return JSON.parse(line);
  } catch {
    throw new Invalid(`line ${index + 1}: not JSON`);
  }
}

const EVENT_PATH = /^events\[(\d+)\]\.?/;

/** Returns the first problem of a batch, with the line instead of the index. */
function problemOf(
  batch: { events: unknown[] },
  error: Parameters<typeof problemsOf>[0]['error'],
  start: number,
): string {
  const [problem] = problemsOf({ schema: eventBatch, value: batch, error }, { where: 'body', most: 1 });
  const message = problem?.message ?? 'body: not valid';
  return message.replace(EVENT_PATH, (_, index: string) => `line ${start + Number(index) + 1}: `);
}

function rowOf(event: SentEvent, line: number, part: Omit<SentPart, 'value'>): ArchivedEvent {
  const json = (value: object | undefined) => {
    if (value === undefined) return null;
    try {
      return wellFormedJson(value);
    } catch (error) {
      if (error instanceof RangeError) throw new Invalid(`line ${line + 1}: nested too deeply`);
      throw error;
    }
  };
  return {
    projectId: part.projectId,
    eventId: event.event_id,
    eventName: event.event_name,
    distinctId: event.distinct_id,
    sessionId: event.session_id ?? null,
    schemaVersion: event.schema_version,
    timestamp: event.timestamp,
    occurredAt: Date.parse(event.timestamp),
    receivedAt: part.receivedAt,
    sentAt: null,
    isBot: false,
    properties: json(event.properties),
    context: json(event.context),
    partition: IMPORTED_PARTITION,
    offset: part.place,
    line,
  };
}
