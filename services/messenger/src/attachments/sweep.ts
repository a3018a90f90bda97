import type { ObjectStore } from '@switchboard/object-store';
import type { Clock, Logger } from '@switchboard/service-kit';
import type { AttachmentStore } from './store.ts';

const BATCH = 100;
const EVERY_MS = 10 * 60_000;

interface SweepOptions {
  store: Pick<AttachmentStore, 'takeLeave' | 'remove'>;
  storage: ObjectStore;
  /** How long a file is kept without being sent, in hours. */
  keptHours: number;
  clock: Clock;
  logger: Logger;
}

export interface Sweep {
  /** Removes what is due now and answers how much that was. */
  now(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

/** Removes files that were uploaded and not sent: marked first, then the object, then the row. */
export function createSweep({ store, storage, keptHours, clock, logger }: SweepOptions): Sweep {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let isStopped = false;

  async function sweep(): Promise<number> {
    const before = new Date(clock.now().getTime() - keptHours * 3_600_000);
    for (let removed = 0; ; ) {
      const leaving = await store.takeLeave(before, BATCH);
      for (const { id, objectKey } of leaving) {
        await storage.delete(objectKey);
        await store.remove(id);
      }
      removed += leaving.length;
      if (leaving.length < BATCH || isStopped) return removed;
    }
  }

  function next(): void {
    running = sweep()
      .catch((error) => logger.warn({ error }, 'unsent files could not be removed; tried again later'))
      .finally(() => {
        if (!isStopped) timer = setTimeout(next, EVERY_MS).unref();
      });
  }

  return {
    now: sweep,
    start() {
      if (timer === undefined && !isStopped) timer = setTimeout(next, EVERY_MS).unref();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
