import { yieldToLoop } from '@switchboard/fairness';
import { addFacts, FACT_TYPES, type Facts, noFacts } from './facts.ts';

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const TIMESTAMP = Buffer.from('"timestamp"');
const TYPE = Buffer.from('"type"');
/** Only events up to this size are parsed for facts, up to this number in a chunk. */
const MAX_FACT_BYTES = 16_384;
const MAX_FACT_EVENTS = 1_000;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/;
const MAX_NUMBER_LENGTH = 32;
/** The number of bytes scanned per event loop turn, which takes less than a millisecond. */
const SLICE_BYTES = 131_072;
const MAX_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The metadata of a chunk's events in the manifest. */
export interface ScannedEvents {
  count: number;
  /** The lowest and the highest valid `timestamp`. */
  times: { first: Date; last: Date } | undefined;
  facts: Facts;
  /** The index of the bracket that closes the events. */
  end: number;
}

/** Returns a time if both PostgreSQL and RFC 3339 can represent it. */
export function storableTime(ms: number): Date | undefined {
  return ms >= 0 && ms <= MAX_TIME ? new Date(ms) : undefined;
}

/**
 * Counts the events of a chunk from `start` without building more than the few with facts: 4 MB of JSON can contain a million values.
 * Yields to the event loop as `fairnessKey` for a large chunk. Resolves with undefined if the events are not
 * terminated.
 */
export async function scanEvents(
  json: Buffer,
  start: number,
  fairnessKey: string,
): Promise<ScannedEvents | undefined> {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let commas = 0;
  let isEmpty = true;
  /** The nesting depth at the current byte. */
  let depth = 0;
  let isInObject = false;
  let isBeforeKey = false;
  const facts = noFacts();
  let parsed = 0;
  /** The start and the type of the event at the current byte. */
  let eventStart = start;
  let type: number | undefined;
  let nextTurn = start + SLICE_BYTES;
  for (let at = start; at < json.length; at++) {
    if (at >= nextTurn) {
      await yieldToLoop(fairnessKey);
      nextTurn = at + SLICE_BYTES;
    }
    const byte = json[at] ?? 0;
    if (byte === CLOSE_ARRAY && depth === 0) {
      const times = first <= last ? { first: new Date(first), last: new Date(last) } : undefined;
      return { count: isEmpty ? 0 : commas + 1, times, facts, end: at };
    }
    if (byte > 0x20) isEmpty = false;
    if (byte === QUOTE) {
      if (isBeforeKey) {
        const time = numberAfter(TIMESTAMP, json, at);
        if (time !== undefined && storableTime(time) !== undefined)
          [first, last] = [Math.min(first, time), Math.max(last, time)];
        type = numberAfter(TYPE, json, at) ?? type;
        isBeforeKey = false;
      }
      at = endOfString(json, at);
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth++;
      if (depth === 1) {
        isInObject = byte === OPEN_OBJECT;
        [eventStart, type] = [at, undefined];
      }
      isBeforeKey = depth === 1 && isInObject;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth--;
      const isSmall = at - eventStart < MAX_FACT_BYTES && parsed < MAX_FACT_EVENTS;
      if (depth === 0 && type !== undefined && FACT_TYPES.includes(type) && isSmall) {
        parsed++;
        addFacts(facts, parse(json.subarray(eventStart, at + 1)));
      }
    } else if (byte === COMMA) {
      if (depth === 0) commas++;
      isBeforeKey = depth === 1 && isInObject;
    }
  }
  return undefined;
}

/** Returns the number of a property if its key begins here. rrweb writes times as milliseconds since 1970. */
function numberAfter(name: Buffer, json: Buffer, key: number): number | undefined {
  const end = key + name.length;
  const colon = afterSpace(json, end);
  if (!json.subarray(key, end).equals(name) || json[colon] !== COLON) return undefined;
  const start = afterSpace(json, colon + 1);
  const text = NUMBER.exec(json.toString('latin1', start, start + MAX_NUMBER_LENGTH))?.[0];
  return text === undefined ? undefined : Number(text);
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString());
  } catch {
    return undefined;
  }
}

function afterSpace(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && (json[at] ?? 0) <= 0x20) at++;
  return at;
}

/** Returns the index of the closing quote of the string that begins here, or an index past the end. */
function endOfString(json: Buffer, from: number): number {
  for (let at = from + 1; ; at++) {
    at = json.indexOf(QUOTE, at);
    if (at === -1) return json.length;
    let escapes = 0;
    while (json[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
}
