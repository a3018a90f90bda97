import type { Transactor } from '@switchboard/database';
import { Unavailable } from '@switchboard/http';
import { deleteBelow, type ObjectStore, ObjectStoreError } from '@switchboard/object-store';
import { poll } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import type { SessionName } from './chunk.ts';
import { projectPrefix, sessionPrefix } from './encode.ts';
import type { ReplaysStore } from './store.ts';

const PAGE_SIZE = 100;
const ROWS_AT_ONCE = 10_000;
const EVERY_MS = 60_000;

interface ErasureOptions {
  store: Pick<ReplaysStore, 'deleteSession' | 'markErased' | 'findToErase' | 'removeProject'>;
  objects: ObjectStore;
  clock: Clock;
  logger: Logger;
  everyMs?: number;
}

export interface Erasure {
  /**
   * Returns how many objects were erased. Throws Unavailable if they could not be erased now. The rows are deleted in
   * any case, and the objects are erased later.
   */
  remove(session: SessionName, within?: Transactor): Promise<number>;
  /** Erases every recording of a project, and the tombstones of deleted ones. */
  removeProject(projectId: string, signal: AbortSignal): Promise<void>;
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
    const erased = await deleteBelow(objects, sessionPrefix(session));
    await store.markErased(session, clock.now());
    return erased;
  }

  /** Skips sessions deleted within the last interval, because their deletion may still be in progress. */
  async function eraseRemaining(): Promise<void> {
    const before = new Date(clock.now().getTime() - everyMs);
    for (const session of await store.findToErase(before, PAGE_SIZE)) {
      if (stopping.signal.aborted) return;
      await eraseObjects(session);
    }
  }

  return {
    async remove(session, within) {
      await store.deleteSession(session, clock.now(), within);
      try {
        return await eraseObjects(session);
      } catch (error) {
        if (!(error instanceof ObjectStoreError)) throw error;
        logger.warn({ error, session: session.sessionId }, 'erasing objects failed, retrying');
        throw new Unavailable(
          'The recording is deleted, but the object store is unavailable. Its objects are erased later.',
        );
      }
    },
    async removeProject(projectId, signal) {
      await deleteBelow(objects, projectPrefix(projectId), signal);
      while ((await store.removeProject(projectId, ROWS_AT_ONCE)) > 0) signal.throwIfAborted();
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
