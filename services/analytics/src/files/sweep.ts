import { pause } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import type { FilesStore } from './store.ts';

const SWEEP_MS = 10_000;

export interface Sweep {
  /** Returns at once. */
  start(): void;
  stop(): Promise<void>;
}

/** Copies of files by their keys. */
interface Copies {
  keys(): string[];
  drop(keys: readonly string[]): Promise<void>;
}

interface SweepOptions {
  store: Pick<FilesStore, 'gone'>;
  cache: Copies;
  /** Rows computed from files. */
  kept: Copies;
  persons: { sweep(): Promise<void> };
  logger: Logger;
}

/** Deletes copies of files that the archive has replaced, rows kept of them, and copies of ids of people, for example to erase people. */
export function createSweep({ store, cache, kept, persons, logger }: SweepOptions): Sweep {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(SWEEP_MS, stopping.signal);
      try {
        const keys = [...new Set([...cache.keys(), ...kept.keys()])];
        if (keys.length > 0) {
          const gone = await store.gone(keys);
          await cache.drop(gone);
          await kept.drop(gone);
        }
        await persons.sweep();
      } catch (error) {
        logger.failed('sweep copies of files and persons', error);
      }
    }
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
