import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { keyPart } from '@switchboard/object-store';
import type { ChunkName } from './chunk.ts';

/** What the events of an object follow. Nothing before can look like it: a quote within a text is escaped. */
export const EVENTS_MARKER = '"events":[';

/** The properties before the events are bounded by the interface, well below this. */
const LONGEST_HEAD = 100_000;

const SEQ_DIGITS = 16;

/** What the keys of a session's objects begin with, and no others. */
export function sessionPrefix({ projectId, sessionId }: Pick<ChunkName, 'projectId' | 'sessionId'>): string {
  return `replays/${keyPart(projectId)}/${keyPart(sessionId)}/`;
}

/** The keys of a session are in the order of seq. */
export function objectKey(chunk: ChunkName): string {
  return `${sessionPrefix(chunk)}${String(chunk.seq).padStart(SEQ_DIGITS, '0')}-${chunk.hash}`;
}

const compress = promisify(gzip);

/** The object of a chunk's JSON: the same bytes for the same chunk. */
export function packObject(json: Buffer): Promise<Buffer> {
  return compress(json);
}

/**
 * The events of an object, as their JSON without the brackets around them, piece by piece; nothing when there are
 * none. Throws when the object is damaged.
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
      if (at < 0 && head.length > LONGEST_HEAD) break;
      if (at < 0) continue;
      bytes = head.subarray(at + EVENTS_MARKER.length);
      head = undefined;
    }
    // The last two bytes close the array and the record.
    if (bytes.length > 2) yield bytes.subarray(0, -2);
    held = Buffer.from(bytes.subarray(-2));
  }
  if (head !== undefined || held.toString() !== ']}') throw new Error('the object is no archived chunk');
}
