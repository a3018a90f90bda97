import type { Backfill } from '@switchboard/database';
import { type Backfills, createBackfills } from '@switchboard/runtime';
import type { Analytics } from '../config.ts';

/** Runs backfills that are known once the tables exist. */
export function runBackfills({ run, ...service }: Analytics, read: () => Promise<readonly Backfill[]>): void {
  let running: Backfills | undefined;
  run({
    async start() {
      running = createBackfills({ ...service, backfills: await read() });
      running.start();
    },
    stop: () => running?.stop(),
  });
}
