import { type Database, type ExpiringData, runAlone } from '@switchboard/database';
import { pause, poll } from '@switchboard/resilience';
import type { Clock } from '../process/context.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

interface RetentionOptions {
  database: Pick<Database, 'drizzle'>;
  data: readonly ExpiringData[];
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'counterBy' | 'gaugeBy'>;
}

export interface Retention {
  /** Removes all expired data of each kind that no other process is working on. Logs failures. */
  run(): Promise<void>;
  /** Starts runs now and every hour. Returns at once. */
  start(): void;
  /** Waits for the current batch. */
  stop(): Promise<void>;
}

const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Milliseconds between batches, which leaves the database to other work. */
const PAUSE_MS = 50;

/** Creates a job that removes expired data in batches. One process at a time works on each kind. */
export function createRetention({ database, data, clock, logger, metrics }: RetentionOptions): Retention {
  const limited = data.flatMap(({ days, ...rest }) => (days === undefined ? [] : [{ ...rest, days }]));
  const stopping = new AbortController();
  const { signal } = stopping;
  const succeededAt = new Map<string, number>();
  const oldestAt = new Map<string, number | undefined>();
  let running: Promise<void> | undefined;

  const removed = metrics.counterBy(
    'switchboard_retention_removed_total',
    'Rows and objects removed because of their age.',
    ['kind', 'what'],
  );
  for (const { kind } of limited) for (const what of ['rows', 'objects']) removed.add([kind, what], 0);
  const byKind = (valueFor: (kind: string) => number) => async () =>
    limited.map(({ kind }) => ({ labels: { kind }, value: valueFor(kind) }));
  metrics.gaugeBy(
    'switchboard_retention_last_success_timestamp_seconds',
    'Time of the last run that removed everything that is too old; 0 if there was none since the start.',
    ['kind'],
    byKind((kind) => (succeededAt.get(kind) ?? 0) / 1000),
  );
  metrics.gaugeBy(
    'switchboard_retention_oldest_seconds',
    'Age of the oldest data that the last run kept.',
    ['kind'],
    byKind((kind) => {
      const oldest = oldestAt.get(kind);
      return oldest === undefined ? 0 : Math.max(0, (clock.now().getTime() - oldest) / 1000);
    }),
  );

  async function removeOld({ kind, days, removeBefore, oldest }: (typeof limited)[number]): Promise<void> {
    const total = { rows: 0, objects: 0 };
    const before = new Date(clock.now().getTime() - days * DAY_MS);
    while (!signal.aborted) {
      const { rows, objects = 0 } = await removeBefore(before);
      removed.add([kind, 'rows'], rows);
      removed.add([kind, 'objects'], objects);
      total.rows += rows;
      total.objects += objects;
      if (rows + objects === 0) break;
      await pause(PAUSE_MS, signal);
    }
    if (total.rows + total.objects > 0) logger.info({ kind, days, ...total }, 'removed old data');
    if (signal.aborted) return;
    oldestAt.set(kind, (await oldest())?.getTime());
    succeededAt.set(kind, clock.now().getTime());
  }

  /** Tries every kind, so that a failure of one does not delay the others. Returns the last failure, if any. */
  async function tryAll(): Promise<unknown> {
    let failure: unknown;
    for (const one of limited) {
      if (signal.aborted) return undefined;
      try {
        await runAlone(database.drizzle, `retention ${one.kind}`, () => removeOld(one));
      } catch (error) {
        failure = error;
        logger.failed('remove old data', error, { kind: one.kind });
      }
    }
    return failure;
  }

  async function look(): Promise<void> {
    const failure = await tryAll();
    if (failure !== undefined) throw failure;
  }

  return {
    async run() {
      await tryAll();
    },
    start() {
      running ??= poll(look, { everyMs: EVERY_MS, signal, onFailure: () => undefined });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
