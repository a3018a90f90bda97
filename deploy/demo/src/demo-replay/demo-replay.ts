import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

interface ReplayDemoOptions {
  replayUrl: string;
  projectKey: string;
}

/** What the npm package rrweb-player brings (see LICENSE beside it): a minute and a half on one page. */
const RECORDING = new URL('recording.json.gz', import.meta.url);
const CHUNKS = 6;
/** How long the service may take to learn of a new key. */
const PATIENCE_MS = 15_000;

/** A visitor's session, recorded and sent in chunks as an SDK does. */
export async function makeReplayDemo({ replayUrl, projectKey }: ReplayDemoOptions): Promise<void> {
  const json = await promisify(gunzip)(await readFile(RECORDING));
  const events: { timestamp: number }[] = JSON.parse(json.toString());
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
      timestamp: new Date(part[0]?.timestamp ?? 0).toISOString(),
    };
    await send(`${replayUrl}/v1/replay`, projectKey, JSON.stringify(chunk));
  }
}

async function send(url: string, projectKey: string, body: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${projectKey}` },
      body,
    });
    if (response.ok) return;
    const isEarly = [401, 503].includes(response.status) && Date.now() < until;
    if (!isEarly) {
      throw new Error(`POST /v1/replay: ${response.status} ${response.headers.get('x-error') ?? ''}`);
    }
    await sleep(50);
  }
}
