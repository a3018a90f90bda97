import { isAscii, isUtf8 } from 'node:buffer';
import {
  EVENT_MAX_BYTES,
  EVENT_MAX_TEXT,
  EVENTS_MAX_COUNT,
  eventBatch,
  eventTextFaults,
} from '@switchboard/contracts';
import { type EventLine, type EventLines, NO_CUTS } from '../event-lines.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  Doubt,
  isDigit,
  JsonScan,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  SPACE,
  ZERO,
} from './json-scan.ts';
import { BATCH, CONTEXT, EVENT, Names, UNKNOWN } from './names.ts';

export interface ScannedBatch extends EventLines {
  /** The number of `{`, `[` and `,` in the body outside its strings. */
  values: number;
}

/**
 * Returns the events of a body as parts of its bytes. Returns undefined unless `eventBatch` certainly accepts
 * the body and the parts are certainly equivalent to serialising it again. Nothing else may use the bytes.
 */
export function scanBatch(bytes: Buffer): ScannedBatch | undefined {
  const isLatin = isAscii(bytes);
  if (!isLatin && !isUtf8(bytes)) return undefined;
  try {
    return new BatchScan(bytes, isLatin).batch();
  } catch (error) {
    if (error instanceof Doubt) return undefined;
    throw error;
  }
}

const BATCH_NAMES = new Names(BATCH);
const EVENT_NAMES = new Names(EVENT);
const CONTEXT_NAMES = new Names(CONTEXT);

const REQUIRED = [EVENT.distinct_id, EVENT.event_id, EVENT.event_name, EVENT.schema_version, EVENT.timestamp];
const REQUIRED_BITS = REQUIRED.reduce((bits, id) => bits | (1 << id), 0);

const DELETE = 0x7f;
const LETTER_N = 0x6e;
const MAX_INTEGER_DIGITS = 15;

/** Every plain text satisfies this rule too. */
const apiKeyFault: TextFault = (text) =>
  eventBatch.shape.api_key.safeParse(text).success ? undefined : 'not valid';

type TextFault = (text: string) => string | undefined;

class BatchScan extends JsonScan {
  private readonly buffer: Buffer;
  /** The bytes as text, if each byte is a character. */
  private readonly text: string | undefined;
  private cuts: number[] | undefined;

  constructor(bytes: Buffer, isLatin: boolean) {
    super(bytes);
    this.buffer = bytes;
    this.text = isLatin ? bytes.toString('latin1') : undefined;
  }

  batch(): ScannedBatch {
    let lines: EventLine[] | undefined;
    let sentAt: string | undefined;
    let seen = 0;
    let place = 0;
    this.begin(OPEN_BRACE);
    do {
      const name = this.nameIn(BATCH_NAMES, place++);
      seen = this.once(seen, name);
      if (name === BATCH.events) lines = this.events();
      else if (name === BATCH.sent_at) sentAt = copyOf(this.checked(eventTextFaults.timestamp));
      else if (name === BATCH.api_key) this.nullable(apiKeyFault);
      else this.value();
    } while (this.more(CLOSE_BRACE));
    this.end();
    if (lines === undefined || sentAt === undefined) this.doubt();
    return { lines, sentAt, body: this.buffer, values: this.values };
  }

  private events(): EventLine[] {
    const lines: EventLine[] = [];
    this.begin(OPEN_BRACKET);
    do {
      if (lines.length === EVENTS_MAX_COUNT) this.doubt();
      lines.push(this.event());
    } while (this.more(CLOSE_BRACKET));
    return lines;
  }

  private event(): EventLine {
    let distinctId = '';
    let eventId = '';
    let timestamp = '';
    let seen = 0;
    let place = 0;
    let isFirst = true;
    this.cuts = undefined;
    this.begin(OPEN_BRACE);
    const start = this.at - 1;
    do {
      const from = this.at;
      const name = this.nameIn(EVENT_NAMES, place++);
      seen = this.once(seen, name);
      switch (name) {
        case EVENT.distinct_id:
          distinctId = this.passed(eventTextFaults.distinct_id).content();
          break;
        case EVENT.event_id:
          eventId = this.passed(eventTextFaults.event_id).content();
          break;
        case EVENT.event_name:
          this.passed(eventTextFaults.event_name);
          break;
        case EVENT.schema_version:
          this.integer();
          break;
        case EVENT.timestamp:
          timestamp = this.checked(eventTextFaults.timestamp);
          break;
        case EVENT.session_id:
          this.nullable(eventTextFaults.session_id);
          break;
        case EVENT.properties:
          if (this.peek() !== OPEN_BRACE) this.doubt();
          this.value();
          break;
        case EVENT.context:
          this.context();
          break;
        default:
          this.dropped(from, isFirst);
          continue;
      }
      isFirst = false;
    } while (this.more(CLOSE_BRACE));
    const end = this.at;
    if ((seen & REQUIRED_BITS) !== REQUIRED_BITS || end - start > EVENT_MAX_BYTES) this.doubt();
    return { distinctId, eventId, timestamp, bytes: this.buffer, start, end, cuts: this.cuts ?? NO_CUTS };
  }

  private context(): void {
    let seen = 0;
    let place = 0;
    let isFirst = true;
    this.begin(OPEN_BRACE);
    if (this.peek() === CLOSE_BRACE) {
      this.at++;
      return;
    }
    do {
      const from = this.at;
      const name = this.nameIn(CONTEXT_NAMES, place++);
      seen = this.once(seen, name);
      if (name === UNKNOWN) {
        this.dropped(from, isFirst);
        continue;
      }
      this.nullable(eventTextFaults.context);
      isFirst = false;
    } while (this.more(CLOSE_BRACE));
  }

  /** Skips the value of an unknown member that begins at `from`. Cuts the member and a comma from the event. */
  private dropped(from: number, isFirst: boolean): void {
    this.value();
    const isBeforeComma = this.peek() === COMMA;
    this.cuts ??= [];
    if (!isFirst) this.cuts.push(from - 1, this.at);
    else this.cuts.push(from, isBeforeComma ? this.at + 1 : this.at);
  }

  /** Skips a name and its colon. Returns the number of the name. */
  private nameIn(names: Names, place: number): number {
    this.peek();
    const start = this.at;
    const again = names.again(place, this.bytes, start);
    if (again === undefined) return names.find(place, this.bytes, start, this.name());
    this.at = start + again.bytes.length;
    return again.id;
  }

  /** Adds a name to the seen names. Throws Doubt for a repeated name, because JSON.parse uses the last one. */
  private once(seen: number, name: number): number {
    if (name === UNKNOWN) return seen;
    const bit = 1 << name;
    return (seen & bit) === 0 ? seen | bit : this.doubt();
  }

  /** Skips a text that satisfies a rule, and returns it. */
  private checked(faultOf: TextFault): string {
    this.string();
    const text = this.content();
    return faultOf(text) === undefined ? text : this.doubt();
  }

  /** Works like `checked`, for a rule that every plain text satisfies. */
  private passed(faultOf: TextFault): this {
    this.string();
    if (!this.isPlain() && faultOf(this.content()) !== undefined) this.doubt();
    return this;
  }

  private nullable(faultOf: TextFault): void {
    if (this.peek() === LETTER_N) this.literal(LETTER_N);
    else this.passed(faultOf);
  }

  /** Whether the last string is short, not empty, not blank, and needs no decoding. */
  private isPlain(): boolean {
    const length = this.at - 1 - this.from;
    const first = this.byte(this.from);
    return !this.isEscaped && length > 0 && length <= EVENT_MAX_TEXT && first > SPACE && first < DELETE;
  }

  private content(): string {
    const { from, at, text, buffer } = this;
    if (this.isEscaped) return String(JSON.parse(buffer.toString('utf8', from - 1, at)));
    return text === undefined ? buffer.toString('utf8', from, at - 1) : text.slice(from, at - 1);
  }

  private integer(): void {
    const isNegative = this.peek() === MINUS;
    const start = isNegative ? this.at + 1 : this.at;
    let at = start;
    while (isDigit(this.byte(at))) at++;
    const digits = at - start;
    if (digits === 0 || digits > MAX_INTEGER_DIGITS) this.doubt();
    if (this.byte(start) === ZERO && (digits > 1 || isNegative)) this.doubt();
    this.at = at;
  }
}

/** Copies a part of a text. V8 keeps the whole text for a part of it, and this part is in the records. */
const copyOf = (part: string): string => Buffer.from(part).toString();
