import type { Place, Row } from '../rows/row.ts';

/**
 * The events of a record in a few buffers. As objects, the garbage collector would move them until their file is
 * written.
 */
export interface PackedEvents extends Omit<Place, 'line'> {
  projectId: string;
  receivedAt: number;
  sentAt: number | null;
  isBot: boolean;
  /** The line of each event. */
  lines: number[];
  schemaVersions: number[];
  occurredAt: Float64Array;
  /** The texts of all events in UTF-8, seven for each. */
  texts: Uint8Array;
  /** The end of each text. An empty text stands for null. */
  ends: Uint32Array;
}

export type EventTexts = Pick<Row<string>, keyof typeof TEXTS>;

const TEXTS = {
  eventId: 0,
  eventName: 1,
  distinctId: 2,
  sessionId: 3,
  timestamp: 4,
  properties: 5,
  context: 6,
} as const;
const TEXTS_OF_EVENT = Object.keys(TEXTS).length;

/** Packs well-formed texts. */
export function packTexts(events: readonly EventTexts[]): Pick<PackedEvents, 'texts' | 'ends'> {
  const texts: string[] = [];
  for (const { eventId, eventName, distinctId, sessionId, timestamp, properties, context } of events) {
    texts.push(eventId, eventName, distinctId, sessionId ?? '', timestamp, properties ?? '', context ?? '');
  }
  // Encodes all texts at once, in a fraction of the time.
  const joined = texts.join('');
  const bytes = new TextEncoder().encode(joined);
  const isAscii = bytes.length === joined.length;
  let end = 0;
  const ends = new Uint32Array(texts.length);
  texts.forEach((text, index) => {
    end += isAscii ? text.length : Buffer.byteLength(text);
    ends[index] = end;
  });
  return { texts: bytes, ends };
}

/** Returns the buffers of packed events outside of the heap. */
export const buffersOf = ({ occurredAt, texts, ends }: PackedEvents) => [occurredAt, texts, ends];

/** Returns the rows of events, except these lines. Values that sorting does not need are decoded on access. */
export function rowsOf(events: PackedEvents, without: readonly number[]): Row[] {
  const { buffer, byteOffset, length } = events.texts;
  const bytes = Buffer.from(buffer, byteOffset, length);
  const left = new Set(without);
  return events.lines.flatMap((line, index) =>
    left.has(line) ? [] : new PackedRow({ events, bytes, index, line }),
  );
}

class PackedRow implements Row {
  readonly eventName: string;
  readonly distinctId: string;
  readonly occurredAt: number;
  readonly line: number;
  readonly #events: PackedEvents;
  readonly #bytes: Buffer;
  readonly #index: number;

  constructor(of: { events: PackedEvents; bytes: Buffer; index: number; line: number }) {
    this.#events = of.events;
    this.#bytes = of.bytes;
    this.#index = of.index;
    this.line = of.line;
    this.occurredAt = of.events.occurredAt[of.index] ?? 0;
    this.eventName = this.#string(TEXTS.eventName) ?? '';
    this.distinctId = this.#string(TEXTS.distinctId) ?? '';
  }

  get projectId() {
    return this.#events.projectId;
  }
  get partition() {
    return this.#events.partition;
  }
  get offset() {
    return this.#events.offset;
  }
  get receivedAt() {
    return this.#events.receivedAt;
  }
  get sentAt() {
    return this.#events.sentAt;
  }
  get isBot() {
    return this.#events.isBot;
  }
  get schemaVersion() {
    return this.#events.schemaVersions[this.#index] ?? 0;
  }
  get context() {
    return this.#string(TEXTS.context);
  }
  get eventId() {
    return this.#text(TEXTS.eventId);
  }
  get timestamp() {
    return this.#text(TEXTS.timestamp);
  }
  get sessionId() {
    return this.#orNull(TEXTS.sessionId);
  }
  get properties() {
    return this.#orNull(TEXTS.properties);
  }

  #start(text: number): number {
    return this.#events.ends[this.#index * TEXTS_OF_EVENT + text - 1] ?? 0;
  }
  #end(text: number): number {
    return this.#events.ends[this.#index * TEXTS_OF_EVENT + text] ?? 0;
  }
  #text(text: number): Uint8Array {
    const start = this.#start(text);
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + start, this.#end(text) - start);
  }
  #orNull(text: number): Uint8Array | null {
    return this.#end(text) === this.#start(text) ? null : this.#text(text);
  }
  #string(text: number): string | null {
    return this.#bytes.toString('utf8', this.#start(text), this.#end(text)) || null;
  }
}
