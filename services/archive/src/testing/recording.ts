import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';

/** Returns the recording in the npm package rrweb-player 2.1.7 (see recording.LICENSE): 272 events of one page. */
export async function recordedEvents(): Promise<Record<string, unknown>[]> {
  const packed = await readFile(new URL('recording.json.gz', import.meta.url));
  return JSON.parse(gunzipSync(packed).toString());
}

/** Returns a chunk as a client sends it. */
export function chunkOf(session: string, seq: number, events: unknown[], more: object = {}) {
  return {
    distinct_id: 'ada',
    events,
    masked: true,
    schema_version: 1,
    sdk: 'web',
    seq,
    session_id: session,
    timestamp: '2026-03-01T09:30:00.000Z',
    ...more,
  };
}

export const newSession = () => `session-${randomUUID()}`;

/** Splits a list into this number of non-empty pieces. */
export function cut<T>(list: readonly T[], pieces: number): T[][] {
  const size = Math.ceil(list.length / pieces);
  return Array.from({ length: pieces }, (_, index) => list.slice(index * size, (index + 1) * size)).filter(
    (piece) => piece.length > 0,
  );
}
