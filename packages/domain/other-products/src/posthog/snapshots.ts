import { isObject, UnparsedItems } from '@switchboard/contracts';
import { type Fields, fieldsOf, known, textOf, timeOf } from '../fields.ts';
import type { Lose } from '../item.ts';
import { addressOf } from '../page-views.ts';
import { sessionOf } from './session.ts';

interface SnapshotOptions {
  /** Returns the JSON in gzip; undefined if there is none. */
  unzip(gzip: Buffer): Promise<Buffer | undefined>;
  lose: Lose;
}

/** Returns the JSON in a text that the SDK compressed; undefined if there is none. */
type Unpack = (text: string) => Promise<Buffer | undefined>;

/** The compression of parts of events: gzip of JSON, each byte a character. */
const COMPRESSION = '2024-10';
/** The fields of changes that are compressed. */
const COMPRESSED: readonly string[] = ['adds', 'attributes', 'removes', 'texts'];
/** Types of rrweb's events. */
const [META, CUSTOM] = [4, 5];
const COMMA = Buffer.from(',');
const MAX_REMEMBERED_LENGTH = 64;

/** Whether an event of PostHog is a part of a recording. */
export const isSnapshot = (message: Fields): boolean => message['event'] === '$snapshot';

/**
 * Returns a part of a recording as a chunk of our API, which is not validated: https://posthog.com/docs/session-replay.
 * Returns undefined if it has no events to keep. A message that is sent again becomes the same bytes.
 */
export async function chunkOf(
  message: Fields,
  { unzip, lose }: SnapshotOptions,
): Promise<Fields | undefined> {
  const properties = fieldsOf(message['properties']);
  const sent = properties['$snapshot_data'];
  if (properties['$snapshot_source'] === 'mobile') {
    // Their events are not those of a page.
    lose('recordings of apps');
    return undefined;
  }
  const unpack = unpackWith(unzip);
  const events: Buffer[] = [];
  let last: unknown;
  let isComplete = true;
  for (const event of Array.isArray(sent) ? sent : [sent]) {
    const pieces = await piecesOf(fieldsOf(event), unpack);
    if (pieces === undefined) isComplete = false;
    else if (pieces.length > 0) {
      if (events.length > 0) events.push(COMMA);
      for (const piece of pieces) events.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
      last = event;
    }
  }
  if (!isComplete) lose('events of recordings');
  if (events.length === 0) return undefined;
  return known({
    distinct_id: textOf(message['distinct_id']) ?? textOf(properties['distinct_id']),
    session_id: sessionOf(properties),
    // The SDK does not number its messages. The archive orders chunks of one seq by the times of their events, and
    // stores equal chunks once.
    seq: 0,
    // The page decides what the SDK masks, and does not say so in each message.
    masked: false,
    schema_version: 1,
    sdk: [textOf(properties['$lib']), textOf(properties['$lib_version'])].join(' ').trim() || undefined,
    timestamp: timeOf(message['timestamp']) ?? timeOf(fieldsOf(last)['timestamp']),
    events: new UnparsedItems(Buffer.concat(events)),
  });
}

/** Most changes have several empty lists, which the SDK compresses to the same text. */
function unpackWith(unzip: SnapshotOptions['unzip']): Unpack {
  const remembered = new Map<string, Buffer>();
  return async (text) => {
    const before = remembered.get(text);
    if (before !== undefined) return before;
    const json = await unzip(Buffer.from(text, 'latin1'));
    const isShort = Math.max(text.length, json?.length ?? 0) <= MAX_REMEMBERED_LENGTH;
    if (json !== undefined && isShort) remembered.set(text, json);
    return json;
  };
}

/** Returns the JSON of an event in pieces: none if it has no content, undefined if it cannot be read. */
async function piecesOf(
  { cv, data, ...event }: Fields,
  unpack: Unpack,
): Promise<(string | Buffer)[] | undefined> {
  const { type, timestamp } = event;
  if (typeof type !== 'number' || typeof timestamp !== 'number') return undefined;
  // These say how PostHog works. Some are dated back, which would change the order of chunks.
  if (type === CUSTOM) return [];
  if (cv === undefined) {
    if (typeof data === 'string') return undefined;
    const json = jsonOf({ ...event, data: type === META ? withoutQuery(fieldsOf(data)) : data });
    return json === undefined ? undefined : [json];
  }
  const begin = jsonOf(event)?.slice(0, -1);
  if (cv !== COMPRESSION || begin === undefined) return undefined;
  const parts = await partsOf(data, unpack);
  return parts && [`${begin},"data":`, ...parts, '}'];
}

/** Returns the JSON of the data of a compressed event. */
async function partsOf(data: unknown, unpack: Unpack): Promise<(string | Buffer)[] | undefined> {
  if (typeof data === 'string') {
    const json = await unpack(data);
    return json && [json];
  }
  if (!isObject(data) || typeof data['source'] !== 'number') return undefined;
  const fields = Object.entries(data);
  const isPacked = ([name, value]: [string, unknown]) =>
    COMPRESSED.includes(name) && typeof value === 'string';
  const begin = jsonOf(Object.fromEntries(fields.filter((field) => !isPacked(field))));
  if (begin === undefined) return undefined;
  const parts: (string | Buffer)[] = [begin.slice(0, -1)];
  for (const [name, value] of fields.filter(isPacked)) {
    const json = await unpack(String(value));
    if (json === undefined) return undefined;
    parts.push(`,"${name}":`, json);
  }
  return [...parts, '}'];
}

/** Returns undefined for an object that is nested too deeply. */
function jsonOf(fields: Fields): string | undefined {
  try {
    return JSON.stringify(fields);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Removes the query and the fragment of the page's address, which may contain personal data. */
function withoutQuery(data: Fields): Fields {
  return { ...data, href: addressOf(data['href']) ?? '' };
}
