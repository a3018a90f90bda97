import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 200;
const PAGE = Buffer.alloc(8_192);

/** Measures repeatedly how long the disk takes to sync a page, until the signal aborts. PostgreSQL waits as long. */
export async function syncTimes(until: AbortSignal): Promise<number[]> {
  const path = join(tmpdir(), `switchboard-bench-sync-${process.pid}`);
  const file = await open(path, 'w');
  const times: number[] = [];
  try {
    while (!until.aborted) {
      const startedAt = performance.now();
      await file.write(PAGE, 0, PAGE.length, 0);
      await file.sync();
      times.push(performance.now() - startedAt);
      await sleep(EVERY_MS);
    }
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
  return times;
}
