import { pause } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import type { FileCache } from './cache.ts';
import type { FilesStore } from './store.ts';

const SWEEP_MS = 10_000;

export interface Sweep {
  /** Returns at once. */
  start(): void;
  stop(): Promise<void>;
}

interface SweepOptions {
  store: Pick<FilesStore, 'gone'>;
  cache: Pick<FileCache, 'keys' | 'drop'>;
  persons: { sweep(): Promise<void> };
  logger: Logger;
}

/** Deletes copies of files that the archive has replaced, and of ids of people, for example to erase people. */
export function createSweep({ store, cache, persons, logger }: SweepOptions): Sweep {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(SWEEP_MS, stopping.signal);
      try {
        const keys = cache.keys();
        if (keys.length > 0) await cache.drop(await store.gone(keys));
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
