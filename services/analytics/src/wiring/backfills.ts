import type { Backfill } from '@switchboard/database';
import { type Backfills, createBackfills } from '@switchboard/runtime';
import type { Analytics } from '../config.ts';

/** Runs backfills that are known once the tables exist. */
export function runBackfills(
  { run, ...service }: Analytics,
  named: readonly (() => Promise<readonly Backfill[]>)[],
): void {
  let running: Backfills | undefined;
  run({
    async start() {
      const backfills = (await Promise.all(named.map((read) => read()))).flat();
      running = createBackfills({ ...service, backfills });
      running.start();
    },
    stop: () => running?.stop(),
  });
}
