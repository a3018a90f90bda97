import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { startOfVisit } from '../events.ts';
import { request } from '../request.ts';

interface SeedReplayOptions {
  replayUrl: string;
  projectKey: string;
}

/** A visit of the shop, recorded by `pnpm --filter @switchboard/demo record`: a minute until the visitor leaves. */
const RECORDING = new URL('recording.json.gz', import.meta.url);
/** A visitor adds a gas stove to the basket, and leaves. */
const RECORDED = { visit: 361, person: 'visitor-68' };
const CHUNKS = 6;

/** Sends the recording of one of the demo's visits in chunks, like an SDK. */
export async function seedReplay({ replayUrl, projectKey }: SeedReplayOptions): Promise<void> {
  const json = await promisify(gunzip)(await readFile(RECORDING));
  const events: { timestamp: number }[] = JSON.parse(json.toString());
  const laterMs = startOfVisit(RECORDED.visit, Date.now()) - (events[0]?.timestamp ?? 0);
  for (const event of events) event.timestamp += laterMs;
  const size = Math.ceil(events.length / CHUNKS);
  for (let seq = 0; seq < CHUNKS; seq++) {
    const part = events.slice(seq * size, (seq + 1) * size);
    const chunk = {
      session_id: `visit-${RECORDED.visit}`,
      distinct_id: RECORDED.person,
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
