import { pause, poll } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import type { UsageStore } from './store.ts';
import { addTally, bytesOf, servedOf, type Tallies, type Tally, totalOf } from './tallies.ts';

interface FlushOptions {
  tallies: Pick<Tallies, 'take'>;
  store: Pick<UsageStore, 'add'>;
  clock: Clock;
  logger: Logger;
  /** The maximum memory of counts that are not stored yet, in bytes. */
  maxBytes: number;
  /** Called with the number of evaluations that are not counted because that memory is full. */
  onLost(count: number): void;
}

/** Stores counted evaluations once a minute, and the rest at the stop. */
export interface Flush {
  /** Returns immediately. */
  start(): void;
  stop(): Promise<void>;
}

/** Counts of an hour that are not stored yet, by project and ruleset. */
interface Unstored {
  at: Date;
  tallies: Map<string, Tally>;
}

const EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
/** A process that stops has other work to end, too. */
const STOP_WITHIN_MS = 5_000;
/** The number of tallies of a statement. */
const BATCH = 20;

export function createFlush({ tallies, store, clock, logger, maxBytes, onLost }: FlushOptions): Flush {
  const hours = new Map<number, Unstored>();
  const stopping = new AbortController();
  let bytes = 0;
  let loop: Promise<void> | undefined;

  function collect(): void {
    const at = clock.now();
    const hour = Math.floor(at.getTime() / HOUR_MS);
    const unstored = hours.get(hour) ?? { at, tallies: new Map() };
    hours.set(hour, unstored);
    for (const tally of tallies.take()) {
      const name = JSON.stringify([tally.projectId, tally.changedAt]);
      const known = unstored.tallies.get(name);
      if (known !== undefined) addTally(known, tally);
      else if (bytes >= maxBytes) onLost(totalOf(tally));
      else {
        unstored.tallies.set(name, tally);
        bytes += bytesOf(tally);
      }
    }
  }

  /** Stores what was counted. Stops between two statements if the signal aborts. */
  async function flush(signal?: AbortSignal): Promise<void> {
    collect();
    for (const [hour, unstored] of hours) {
      // In the order of projects, because statements of other instances lock the same rows.
      const entries = [...unstored.tallies].sort(([one], [other]) => (one < other ? -1 : 1));
      for (let from = 0; from < entries.length; from += BATCH) {
        signal?.throwIfAborted();
        const batch = entries.slice(from, from + BATCH);
        await store.add(
          unstored.at,
          batch.flatMap(([, tally]) => servedOf(tally)),
        );
        for (const [name, tally] of batch) {
          unstored.tallies.delete(name);
          bytes -= bytesOf(tally);
        }
      }
      hours.delete(hour);
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    // Instances that start together do not write together.
    await pause(Math.random() * EVERY_MS, signal);
    await poll(() => flush(), { everyMs: EVERY_MS, signal, onFailure: failed });
  }

  const failed = (error: unknown) => logger.failed('store flag usage', error);

  return {
    start() {
      loop ??= run(stopping.signal);
    },
    async stop() {
      stopping.abort();
      await loop;
      await flush(AbortSignal.timeout(STOP_WITHIN_MS)).catch(failed);
    },
  };
}
