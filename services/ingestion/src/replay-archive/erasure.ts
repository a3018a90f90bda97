import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@switchboard/database';
import { type ObjectStore, ObjectStoreError } from '@switchboard/object-store';
import { type Clock, type Logger, Unavailable } from '@switchboard/service-kit';
import { sessionPrefix } from './object.ts';
import { bury, markErased, type SessionName, toErase } from './store.ts';

const AT_ONCE = 16;
const PAGE = 100;
const EVERY_MS = 60_000;

interface ErasureOptions {
  database: Pick<Database, 'drizzle'>;
  objects: ObjectStore | undefined;
  clock: Clock;
  logger: Logger;
  everyMs?: number;
}

/** Takes recordings away: their rows at once, for a tombstone, and their objects at once or as soon as it can be. */
export function createErasure({ database, objects, clock, logger, everyMs = EVERY_MS }: ErasureOptions) {
  const db = database.drizzle;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function eraseObjects(store: ObjectStore, session: SessionName): Promise<void> {
    const deleteAll = (keys: string[]) => Promise.all(keys.map((key) => store.delete(key)));
    let keys: string[] = [];
    for await (const { key } of store.list(sessionPrefix(session))) {
      keys.push(key);
      if (keys.length < AT_ONCE) continue;
      await deleteAll(keys);
      keys = [];
    }
    await deleteAll(keys);
    await markErased(db, session, clock.now());
  }

  /** What a delete could not finish. One whose minute is not over may still be at work. */
  async function eraseLeftOvers(store: ObjectStore): Promise<void> {
    const left = await toErase(db, new Date(clock.now().getTime() - everyMs), PAGE);
    for (const session of left) {
      if (stopping.signal.aborted) return;
      await eraseObjects(store, session);
    }
  }

  async function run(store: ObjectStore): Promise<void> {
    while (!stopping.signal.aborted) {
      await eraseLeftOvers(store).catch((error: unknown) =>
        logger.warn({ error }, 'objects of deleted replays are still there; trying again'),
      );
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    /** Throws Unavailable when the objects could not be erased now; the rows are gone, and the rest follows. */
    async remove(session: SessionName): Promise<void> {
      if (objects === undefined) throw new Unavailable('No object store is configured here.');
      await bury(db, session, clock.now());
      try {
        await eraseObjects(objects, session);
      } catch (error) {
        if (!(error instanceof ObjectStoreError)) throw error;
        logger.warn({ error }, 'objects of a deleted replay could not be erased yet');
        throw new Unavailable(
          'The recording is gone from the lists; its objects are erased as soon as the object store answers.',
        );
      }
    },
    /** Finishes what `remove` could not, again and again. */
    start() {
      if (objects !== undefined) running ??= run(objects);
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
