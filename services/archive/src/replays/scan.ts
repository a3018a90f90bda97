import { yieldToLoop } from '@switchboard/fairness';

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const TIMESTAMP = Buffer.from('"timestamp"');
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
  /** The index of the bracket that closes the events. */
  end: number;
}

/** Returns a time if both PostgreSQL and RFC 3339 can represent it. */
export function storableTime(ms: number): Date | undefined {
  return ms >= 0 && ms <= MAX_TIME ? new Date(ms) : undefined;
}

/**
 * Counts the events of a chunk from `start` without building them: 4 MB of JSON can contain a million values.
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
  let nextTurn = start + SLICE_BYTES;
  for (let at = start; at < json.length; at++) {
    if (at >= nextTurn) {
      await yieldToLoop(fairnessKey);
      nextTurn = at + SLICE_BYTES;
    }
    const byte = json[at] ?? 0;
    if (byte === CLOSE_ARRAY && depth === 0) {
      const times = first <= last ? { first: new Date(first), last: new Date(last) } : undefined;
      return { count: isEmpty ? 0 : commas + 1, times, end: at };
    }
    if (byte > 0x20) isEmpty = false;
    if (byte === QUOTE) {
      if (isBeforeKey) {
        const time = timestampAt(json, at);
        if (time !== undefined) [first, last] = [Math.min(first, time), Math.max(last, time)];
        isBeforeKey = false;
      }
      at = endOfString(json, at);
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth++;
      if (depth === 1) isInObject = byte === OPEN_OBJECT;
      isBeforeKey = depth === 1 && isInObject;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth--;
    } else if (byte === COMMA) {
      if (depth === 0) commas++;
      isBeforeKey = depth === 1 && isInObject;
    }
  }
  return undefined;
}

/** Returns the `timestamp` of an event. rrweb writes milliseconds since 1970. */
function timestampAt(json: Buffer, key: number): number | undefined {
  const end = key + TIMESTAMP.length;
  const colon = afterSpace(json, end);
  if (!json.subarray(key, end).equals(TIMESTAMP) || json[colon] !== COLON) return undefined;
  const start = afterSpace(json, colon + 1);
  const text = NUMBER.exec(json.toString('latin1', start, start + MAX_NUMBER_LENGTH))?.[0];
  const time = Number(text ?? Number.NaN);
  return storableTime(time) === undefined ? undefined : time;
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
