import { type Backfill, type Database, stepBackfill } from '@switchboard/database';
import { backoffDelay, pause } from '@switchboard/resilience';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

interface BackfillsOptions {
  database: Pick<Database, 'drizzle'>;
  backfills: readonly Backfill[];
  /** The rate of all instances together. Default: 2,000. */
  rowsPerSecond?: number;
  logger: Logger;
  metrics: Pick<Metrics, 'counterBy' | 'gaugeBy'>;
}

/** Runs backfills in the background. `start` returns at once; `stop` waits for the current batch. */
export interface Backfills {
  start(): void;
  stop(): Promise<void>;
}

/** Slow enough to leave a small database to requests, and done with ten million rows in under two hours. */
const ROWS_PER_SECOND = 2_000;
const MAX_BATCH_ROWS = 500;
const MAX_WAIT_MS = 1_000;

/**
 * Creates a runner of backfills, one after the other. Each batch and its checkpoint are one transaction, so the next
 * start or another instance continues where one stopped.
 */
export function createBackfills(options: BackfillsOptions): Backfills {
  const { database, backfills, rowsPerSecond = ROWS_PER_SECOND, logger, metrics } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const done = new Set<string>();
  let running: Promise<void> | undefined;

  const changed = metrics.counterBy('switchboard_backfill_rows_total', 'Rows processed by backfills.', [
    'backfill',
  ]);
  for (const { name } of backfills) changed.add([name], 0);
  metrics.gaugeBy(
    'switchboard_backfill_done',
    'Whether a backfill is done: 1 or 0.',
    ['backfill'],
    async () => backfills.map(({ name }) => ({ labels: { backfill: name }, value: done.has(name) ? 1 : 0 })),
  );

  const limit = Math.min(MAX_BATCH_ROWS, rowsPerSecond);

  async function fill({ name, batch }: Backfill): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const step = await stepBackfill(database.drizzle, { name, batch, limit, rowsPerSecond });
        failures = 0;
        changed.add([name], step.rows);
        if (step.isDone) {
          if (step.rows > 0) logger.info({ backfill: name }, 'backfill done');
          done.add(name);
          return;
        }
        await pause(Math.min(MAX_WAIT_MS, step.waitMs), signal);
      } catch (error) {
        logger.failed('backfill', error, { backfill: name });
        await pause(backoffDelay(failures++, { baseMs: 1_000, maxMs: 60_000 }), signal);
      }
    }
  }

  async function run(): Promise<void> {
    for (const one of backfills) await fill(one);
  }

  return {
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
