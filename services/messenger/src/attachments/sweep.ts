import type { ObjectStore } from '@switchboard/object-store';
import { createPolling, type Polling } from '@switchboard/resilience';
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

export interface Sweep extends Polling {
  /** Removes expired attachments and returns their number. */
  run(): Promise<number>;
}

/** Removes attachments that were uploaded but not sent. It marks them, then removes the object, then the row. */
export function createSweep({ store, storage, clock, logger }: SweepOptions): Sweep {
  async function run(signal?: AbortSignal): Promise<number> {
    const before = new Date(clock.now().getTime() - UNSENT_MS);
    for (let removed = 0; ; ) {
      const expired = await store.expireUnsent(before, BATCH_SIZE);
      for (const { id, objectKey } of expired) {
        await storage.delete(objectKey);
        await store.removeExpired(id);
      }
      removed += expired.length;
      if (expired.length < BATCH_SIZE || signal?.aborted === true) return removed;
    }
  }

  return {
    run,
    ...createPolling(async (signal) => void (await run(signal)), {
      everyMs: INTERVAL_MS,
      onFailure: (error) => logger.failed('remove unsent attachments', error),
    }),
  };
}
