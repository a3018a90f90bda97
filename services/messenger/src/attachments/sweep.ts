import type { ObjectStore } from '@switchboard/object-store';
import type { Clock, Logger } from '@switchboard/service-kit';
import type { AttachmentsStore } from './store.ts';

const BATCH_SIZE = 100;
const INTERVAL_MS = 10 * 60_000;

interface SweepOptions {
  store: Pick<AttachmentsStore, 'expireUnsent' | 'removeExpired'>;
  storage: ObjectStore;
  /** How long an unsent attachment is kept, in hours. */
  retentionHours: number;
  clock: Clock;
  logger: Logger;
}

export interface Sweep {
  /** Removes what has expired by now and returns the number of attachments. */
  run(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

/** Removes attachments that were uploaded and not sent: marked first, then the object, then the row. */
export function createSweep({ store, storage, retentionHours, clock, logger }: SweepOptions): Sweep {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let isStopped = false;

  async function run(): Promise<number> {
    const before = new Date(clock.now().getTime() - retentionHours * 3_600_000);
    for (let removed = 0; ; ) {
      const expired = await store.expireUnsent(before, BATCH_SIZE);
      for (const { id, objectKey } of expired) {
        await storage.delete(objectKey);
        await store.removeExpired(id);
      }
      removed += expired.length;
      if (expired.length < BATCH_SIZE || isStopped) return removed;
    }
  }

  function schedule(): void {
    if (!isStopped) timer = setTimeout(runScheduled, INTERVAL_MS).unref();
  }

  function runScheduled(): void {
    running = run()
      .catch((error) => logger.failed('remove unsent attachments', error))
      .finally(schedule);
  }

  return {
    run,
    start() {
      if (timer === undefined) schedule();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
