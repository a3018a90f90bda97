import { openDirectory } from '@switchboard/directory';
import { openPostgresLog } from '@switchboard/event-log';
import pMap from 'p-map';
import { keyOf } from './projects.ts';
import { openForFilling } from './site.ts';

export interface Wanted {
  /** The number of projects with keys to look up. */
  size: number;
}

export interface Found {
  lookUpMicros: number;
  /** The growth of the heap since before the first look-up, in megabytes. */
  heldMb: number;
}

/** A replica that looks up every key, so that all are in memory, and then reports how long one look-up takes. */
const AT_ONCE = 1_000;
const LOOK_UPS = 200_000;

const database = await openForFilling(process.env['DATABASE_URL'] ?? '');
const log = openPostgresLog({ url: process.env['LOG_URL'] ?? '' });
const directory = openDirectory({ database, log, service: 'ingestion' });
await directory.start();

function heapMb(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}

let known = 0;
let before: number | undefined;

async function look(size: number): Promise<Found> {
  before ??= heapMb();
  const missing = Array.from({ length: size - known }, (_, index) => known + index);
  await pMap(missing, async (project) => directory.projectKey(keyOf(project)), { concurrency: AT_ONCE });
  known = size;
  const keys = Array.from({ length: 1_000 }, () => keyOf(Math.floor(Math.random() * size)));
  // Some keys may have been dropped: the cache is bounded, and revalidates its entries after a gap in the
  // announcements.
  for (const key of keys) await directory.projectKey(key);
  const beganAt = performance.now();
  for (let turn = 0; turn < LOOK_UPS; turn++) {
    const found = directory.projectKey(keys[turn % keys.length] ?? '');
    if (found === undefined || found instanceof Promise) throw new Error('a key was not in memory');
  }
  const lookUpMicros = ((performance.now() - beganAt) * 1_000) / LOOK_UPS;
  missing.length = 0;
  return { lookUpMicros, heldMb: heapMb() - before };
}

process.on('message', async ({ size }: Wanted) => process.send?.(await look(size)));
