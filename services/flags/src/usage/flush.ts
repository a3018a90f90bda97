import { pause, poll } from '@switchboard/resilience';
import type { Clock, Logger, Metrics } from '@switchboard/runtime';
import type { UsageStore } from './store.ts';
import type { Served, Tallies } from './tallies.ts';

interface FlushOptions {
  tallies: Pick<Tallies, 'take'>;
  store: Pick<UsageStore, 'add'>;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'counter'>;
}

/** Stores counted evaluations once a minute, and the rest at the stop. */
export interface Flush {
  /** Returns immediately. */
  start(): void;
  stop(): Promise<void>;
}

/** Counts of an hour that are not stored yet, by flag and variation. */
interface Unstored {
  at: Date;
  served: Map<string, Served>;
}

const EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The number of counts of a statement. */
const BATCH = 2_000;
/** The number of counts that are kept while the database is unavailable. */
const MAX_UNSTORED = 200_000;

export function createFlush({ tallies, store, clock, logger, metrics }: FlushOptions): Flush {
  const lost = metrics.counter(
    'switchboard_flag_usage_lost_total',
    'Evaluations of flags that were not counted because the database was unavailable.',
  );
  const hours = new Map<number, Unstored>();
  const stopping = new AbortController();
  let size = 0;
  let loop: Promise<void> | undefined;

  function collect(): void {
    const at = clock.now();
    const hour = Math.floor(at.getTime() / HOUR_MS);
    const { served } = hours.get(hour) ?? { served: new Map() };
    hours.set(hour, { at, served });
    for (const one of tallies.take()) {
      const name = JSON.stringify([one.projectId, one.key, one.variation]);
      const known = served.get(name);
      if (known !== undefined) known.count += one.count;
      else if (size >= MAX_UNSTORED) lost.add(one.count);
      else {
        served.set(name, one);
        size += 1;
      }
    }
  }

  async function flush(): Promise<void> {
    collect();
    for (const [hour, { at, served }] of hours) {
      // In the order of their keys, because statements of other instances lock the same rows.
      const entries = [...served].sort(([one], [other]) => (one < other ? -1 : 1));
      for (let from = 0; from < entries.length; from += BATCH) {
        const batch = entries.slice(from, from + BATCH);
        await store.add(
          at,
          batch.map(([, one]) => one),
        );
        for (const [name] of batch) served.delete(name);
        size -= batch.length;
      }
      hours.delete(hour);
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    // Instances that start together do not write together.
    await pause(Math.random() * EVERY_MS, signal);
    await poll(flush, { everyMs: EVERY_MS, signal, onFailure: failed });
  }

  const failed = (error: unknown) => logger.failed('store flag usage', error);

  return {
    start() {
      loop ??= run(stopping.signal);
    },
    async stop() {
      stopping.abort();
      await loop;
      await flush().catch(failed);
    },
  };
}
