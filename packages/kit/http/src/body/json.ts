import { isUtf8 } from 'node:buffer';
import { isObject, type Operation, UnparsedItems } from '@switchboard/contracts';
import { type Reservation, yieldBriefly, yieldToLoop } from '@switchboard/fairness';
import { BadRequest, NotJson, PayloadTooLarge } from '../exchange/errors.ts';
import { bytesIn, findItems, InvalidJson, type Items, MAX_DEPTH } from './items.ts';

/** The heap memory of a value besides its text. Measured: 32 bytes in events, 92 at worst. */
const VALUE_BYTES = 64;
/** The size up to which a body is parsed at once, without waiting for other bodies. */
const TINY_BYTES = 4_096;
/** The size up to which a body takes about a millisecond. */
const SMALL_BYTES = 65_536;
/** The size from which counting, parsing and later steps take a turn each. */
const LARGE_BYTES = 1_048_576;
const LARGE_VALUES = 20_000;

const STRUCTURE = bytesIn('{[,');
const OPENING = bytesIn('{[');
const CLOSING = bytesIn('}]');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Yields to the event loop before a body is parsed. Returns undefined if the body is tiny and need not wait. */
export function yieldForBody({ length }: Buffer, fairnessKey: string): Promise<void> | undefined {
  if (length <= TINY_BYTES) return undefined;
  return length <= SMALL_BYTES ? yieldBriefly(fairnessKey) : yieldToLoop(fairnessKey);
}

/** Removes the byte order mark that some clients send. */
export function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

interface ParseOptions extends Pick<Operation, 'maxBodyValues' | 'unparsedArray'> {
  reservation: Reservation;
  /** The key under which it yields. */
  fairnessKey: string;
}

/**
 * Parses a JSON body with any Content-Type, so that sendBeacon and a plain `curl -d` work. Adds the memory of the
 * values to the reservation. A body that is not tiny yields to the event loop. Throws BadRequest, PayloadTooLarge or
 * Unavailable.
 */
export async function parseJson(
  bytes: Buffer,
  { reservation, fairnessKey, maxBodyValues, unparsedArray }: ParseOptions,
): Promise<unknown> {
  const turn = async () => {
    if (bytes.length > SMALL_BYTES) await yieldToLoop(fairnessKey);
  };
  const first = yieldForBody(bytes, fairnessKey);
  if (first !== undefined) await first;
  if (!isUtf8(bytes)) throw new NotJson('body: not valid UTF-8');
  if (unparsedArray === undefined) return parse(bytes);
  const found = await findItemsOrRefuse(bytes, unparsedArray, turn);
  const value = await parse(around(bytes, found));
  const last = found.at(-1);
  if (last !== undefined && isObject(value) && Array.isArray(value[unparsedArray])) {
    value[unparsedArray] = new UnparsedItems(bytes.subarray(last.start, last.end));
  }
  return value;

  async function parse(json: Buffer): Promise<unknown> {
    let values = structureOf(json);
    if (values > maxBodyValues) {
      await turn();
      values = structureOutsideStrings(json, maxBodyValues);
      if (values > maxBodyValues) throw new PayloadTooLarge(`body: more than ${maxBodyValues} values`);
    }
    reserveValues(values, reservation);
    const isLarge = json.length > LARGE_BYTES || values > LARGE_VALUES;
    if (isLarge) await turn();
    if (values > LARGE_VALUES && isNestedDeeper(json, MAX_DEPTH)) {
      throw new BadRequest(`body: nested deeper than ${MAX_DEPTH} levels`);
    }
    let value: unknown;
    try {
      value = JSON.parse(json.toString('utf8'));
    } catch {
      throw new NotJson('body: not valid JSON');
    }
    if (isLarge) await turn();
    return value;
  }
}

async function findItemsOrRefuse(bytes: Buffer, name: string, turn: () => Promise<void>): Promise<Items[]> {
  try {
    return await findItems(bytes, name, turn);
  } catch (error) {
    throw error instanceof InvalidJson ? new BadRequest(`body: ${error.message}`) : error;
  }
}

/** Reserves memory for `values` parsed values. */
export function reserveValues(values: number, reservation: Reservation): void {
  reservation.take(values * VALUE_BYTES);
}

/** Returns the text with these arrays emptied. */
function around(bytes: Buffer, arrays: readonly Items[]): Buffer {
  const pieces = arrays.map(({ start }, index) => bytes.subarray(arrays[index - 1]?.end ?? 0, start));
  return Buffer.concat([...pieces, bytes.subarray(arrays.at(-1)?.end ?? 0)]);
}

/** Counts `{`, `[` and `,`. Four bytes per step are twice as fast as one. */
function structureOf(bytes: Buffer): number {
  const whole = bytes.length & ~3;
  let count = 0;
  let i = 0;
  for (; i < whole; i += 4)
    count +=
      isStructure(bytes, i) +
      isStructure(bytes, i + 1) +
      isStructure(bytes, i + 2) +
      isStructure(bytes, i + 3);
  for (; i < bytes.length; i++) count += isStructure(bytes, i);
  return count;
}

const isStructure = (bytes: Buffer, i: number): number => STRUCTURE[bytes[i] ?? 0] ?? 0;

/** Counts the same outside strings, and stops above `max`. */
function structureOutsideStrings(bytes: Buffer, max: number): number {
  let count = 0;
  let isInString = false;
  for (let i = 0; i < bytes.length && count <= max; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) isInString = !isInString;
    else if (!isInString) count += isStructure(bytes, i);
    else if (byte === BACKSLASH) i++;
  }
  return count;
}

/** Checked first, since parsing 150,000 levels takes ten times as long as parsing as many values in one level. */
function isNestedDeeper(bytes: Buffer, max: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < bytes.length && depth <= max; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) isInString = !isInString;
    else if (!isInString) depth += (OPENING[byte] ?? 0) - (CLOSING[byte] ?? 0);
    else if (byte === BACKSLASH) i++;
  }
  return depth > max;
}
