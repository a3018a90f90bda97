import type { ObjectStore } from '@switchboard/object-store';
import { poll } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import type { AttachmentsStore } from './store.ts';

const BATCH_SIZE = 100;
const INTERVAL_MS = 10 * 60_000;
/** A visitor may finish a turn the next day, and a file that was never sent is not kept longer. */
const UNSENT_MS = 24 * 3_600_000;

interface SweepOptions {
  store: Pick<AttachmentsStore, 'expireUnsent' | 'removeExpired'>;
  storage: ObjectStore;
  clock: Clock;
  logger: Logger;
}

export interface Sweep {
  /** Removes expired attachments and returns their number. */
  run(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

/** Removes attachments that were uploaded but not sent. It marks them, then removes the object, then the row. */
export function createSweep({ store, storage, clock, logger }: SweepOptions): Sweep {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<number> {
    const before = new Date(clock.now().getTime() - UNSENT_MS);
    for (let removed = 0; ; ) {
      const expired = await store.expireUnsent(before, BATCH_SIZE);
      for (const { id, objectKey } of expired) {
        await storage.delete(objectKey);
        await store.removeExpired(id);
      }
      removed += expired.length;
      if (expired.length < BATCH_SIZE || stopping.signal.aborted) return removed;
    }
  }

  return {
    run,
    start() {
      running ??= poll(async () => void (await run()), {
        everyMs: INTERVAL_MS,
        signal: stopping.signal,
        onFailure: (error) => logger.failed('remove unsent attachments', error),
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
