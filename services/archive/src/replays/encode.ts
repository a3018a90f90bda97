import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { keyPart } from '@switchboard/object-store';
import { type ChunkName, EVENTS_MARKER, type SessionName } from './chunk.ts';

/** The interface limits the properties before the events to well below this. */
const MAX_HEAD_BYTES = 100_000;

const SEQ_DIGITS = 16;

/** Returns the prefix of the object keys of a project's recordings. No other keys have it. */
export const projectPrefix = (projectId: string) => `replays/${keyPart(projectId)}/`;

/** Like `projectPrefix`, for a session. */
export function sessionPrefix({ projectId, sessionId }: SessionName): string {
  return `${projectPrefix(projectId)}${keyPart(sessionId)}/`;
}

/** Returns the object key of a chunk. The keys of a session sort by seq. */
export function objectKey(chunk: ChunkName): string {
  return `${sessionPrefix(chunk)}${String(chunk.seq).padStart(SEQ_DIGITS, '0')}-${chunk.hash}`;
}

const compress = promisify(gzip);

/** Returns the object with a chunk's JSON. Deterministic. */
export function encodeChunk(json: Buffer): Promise<Buffer> {
  return compress(json);
}

/**
 * Yields the events of an object as JSON without the surrounding brackets, piece by piece; nothing if there are none.
 * Throws if the object is damaged.
 */
export async function* eventsOf(object: Buffer): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  Readable.from([object], { objectMode: false }).pipe(gunzip);
  let head: Buffer | undefined = Buffer.alloc(0);
  let held = Buffer.alloc(0);
  for await (const piece of gunzip) {
    let bytes: Buffer = Buffer.concat([held, piece]);
    if (head !== undefined) {
      head = Buffer.concat([head, bytes]);
      const at = head.indexOf(EVENTS_MARKER);
      if (at < 0 && head.length > MAX_HEAD_BYTES) break;
      if (at < 0) continue;
      bytes = head.subarray(at + EVENTS_MARKER.length);
      head = undefined;
    }
    // The last two bytes close the array and the record.
    if (bytes.length > 2) yield bytes.subarray(0, -2);
    held = Buffer.from(bytes.subarray(-2));
  }
  if (head !== undefined || held.toString() !== ']}') throw new Error('object is not an archived chunk');
}
