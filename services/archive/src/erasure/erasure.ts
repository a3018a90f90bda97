import { buffer } from 'node:stream/consumers';
import type { Eraser } from '@switchboard/directory';
import { keyPart, type ObjectStore } from '@switchboard/object-store';
import type { Erasure as ReplayErasure } from '../replays/erasure.ts';
import type { ReplaysStore } from '../replays/store.ts';
import { withoutPeople } from './rewrite.ts';

const PAGE_SIZE = 50;

interface ErasureOptions {
  store: Pick<ReplaysStore, 'listReplays'>;
  objects: ObjectStore;
  replays: Pick<ReplayErasure, 'remove'>;
}

/** Erases a person's recordings, and their rows from the Parquet files. */
export function createErasure({ store, objects, replays }: ErasureOptions): Eraser {
  async function eraseRecordings(projectId: string, distinctId: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const found = await store.listReplays(projectId, { distinctId, limit: PAGE_SIZE });
      for (const { sessionId } of found) {
        signal.throwIfAborted();
        await replays.remove({ projectId, sessionId });
      }
      if (found.length === 0) return;
    }
  }

  /** One file at a time: a file is held in memory as a whole. */
  async function eraseEvents(
    projectId: string,
    distinctIds: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<void> {
    for await (const { key } of objects.list(`events/${keyPart(projectId)}/`)) {
      signal.throwIfAborted();
      if (!key.endsWith('.parquet')) continue;
      const object = await objects.get(key);
      if (object === undefined) continue;
      const rest = await withoutPeople(await buffer(object.body), distinctIds);
      signal.throwIfAborted();
      if (rest === 'empty') await objects.delete(key);
      else if (rest !== 'unchanged') await objects.put(key, rest);
    }
  }

  return {
    async erasePerson({ projectId, distinctIds }, signal) {
      for (const distinctId of distinctIds) await eraseRecordings(projectId, distinctId, signal);
      await eraseEvents(projectId, new Set(distinctIds), signal);
    },
  };
}
