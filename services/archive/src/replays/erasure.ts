import { type ObjectStore, ObjectStoreError } from '@switchboard/object-store';
import { poll } from '@switchboard/resilience';
import { type Clock, type Logger, Unavailable } from '@switchboard/service-kit';
import type { SessionName } from './chunk.ts';
import { sessionPrefix } from './encode.ts';
import type { ReplaysStore } from './store.ts';

const MAX_CONCURRENT_DELETES = 16;
const PAGE_SIZE = 100;
const EVERY_MS = 60_000;

interface ErasureOptions {
  store: Pick<ReplaysStore, 'deleteSession' | 'markErased' | 'findToErase'>;
  objects: ObjectStore;
  clock: Clock;
  logger: Logger;
  everyMs?: number;
}

export interface Erasure {
  /**
   * Returns how many objects were erased. Throws Unavailable when they could not be erased now; the rows are deleted,
   * and the objects follow.
   */
  remove(session: SessionName): Promise<number>;
  /** Retries the objects that `remove` could not erase, until stopped. */
  start(): void;
  stop(): Promise<void>;
}

/** Erases recordings: rows at once, leaving a tombstone; objects at once, or later if the object store fails. */
export function createErasure(options: ErasureOptions): Erasure {
  const { store, objects, clock, logger, everyMs = EVERY_MS } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function eraseObjects(session: SessionName): Promise<number> {
    const deleteAll = (keys: string[]) => Promise.all(keys.map((key) => objects.delete(key)));
    let keys: string[] = [];
    let erased = 0;
    for await (const { key } of objects.list(sessionPrefix(session))) {
      erased += 1;
      keys.push(key);
      if (keys.length < MAX_CONCURRENT_DELETES) continue;
      await deleteAll(keys);
      keys = [];
    }
    await deleteAll(keys);
    await store.markErased(session, clock.now());
    return erased;
  }

  /** Skips sessions deleted within the last interval: their delete may still be in progress. */
  async function eraseRemaining(): Promise<void> {
    const before = new Date(clock.now().getTime() - everyMs);
    for (const session of await store.findToErase(before, PAGE_SIZE)) {
      if (stopping.signal.aborted) return;
      await eraseObjects(session);
    }
  }

  return {
    async remove(session) {
      await store.deleteSession(session, clock.now());
      try {
        return await eraseObjects(session);
      } catch (error) {
        if (!(error instanceof ObjectStoreError)) throw error;
        logger.warn({ error, session: session.sessionId }, 'erasing objects failed, retrying later');
        throw new Unavailable(
          'The recording is deleted, but the object store is unavailable. Its objects are erased later.',
        );
      }
    },
    start() {
      running ??= poll(eraseRemaining, {
        everyMs,
        signal: stopping.signal,
        onFailure: (error) => logger.failed('erase deleted replays', error),
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
