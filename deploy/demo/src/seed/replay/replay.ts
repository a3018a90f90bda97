import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { request } from '../request.ts';

interface SeedReplayOptions {
  replayUrl: string;
  projectKey: string;
}

/** The recording of the npm package rrweb-player (see LICENSE): 90 seconds on one page. */
const RECORDING = new URL('recording.json.gz', import.meta.url);
const CHUNKS = 6;

/** Sends a visitor's recorded session in chunks, like an SDK, as if the session had just ended. */
export async function seedReplay({ replayUrl, projectKey }: SeedReplayOptions): Promise<void> {
  const json = await promisify(gunzip)(await readFile(RECORDING));
  const events: { timestamp: number }[] = JSON.parse(json.toString());
  const agoMs = Date.now() - (events.at(-1)?.timestamp ?? 0);
  for (const event of events) event.timestamp += agoMs;
  const size = Math.ceil(events.length / CHUNKS);
  for (let seq = 0; seq < CHUNKS; seq++) {
    const part = events.slice(seq * size, (seq + 1) * size);
    const chunk = {
      session_id: 'visit-1',
      distinct_id: 'visitor-1',
      seq,
      events: part,
      masked: true,
      schema_version: 1,
      sdk: 'demo',
      timestamp: new Date(part.at(-1)?.timestamp ?? 0).toISOString(),
    };
    await request('POST', `${replayUrl}/v1/replay`, projectKey, { body: JSON.stringify(chunk) });
  }
}
