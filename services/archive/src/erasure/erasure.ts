import type { Eraser } from '@switchboard/directory';
import type { PersonIds } from '@switchboard/person-ids';
import type { DeadLettersStore } from '../dead-letters/store.ts';
import type { EventErasure } from '../files/event-erasure.ts';
import type { ImportsStore } from '../imports/store.ts';
import type { Erasure as ReplayErasure } from '../replays/erasure.ts';
import type { ReplaysStore } from '../replays/store.ts';

const PAGE_SIZE = 50;
const ROWS_AT_ONCE = 5_000;

interface ErasureOptions {
  store: Pick<ReplaysStore, 'listReplays'>;
  events: EventErasure;
  personIds: Pick<PersonIds, 'remove' | 'removeProject'>;
  replays: Pick<ReplayErasure, 'remove' | 'removeProject'>;
  letters: Pick<DeadLettersStore, 'removeProject'>;
  imports: Pick<ImportsStore, 'removeProject'>;
}

/** Erases the recordings of a person or project, and their rows in the Parquet files. */
export function createErasure({
  store,
  events,
  personIds,
  replays,
  letters,
  imports,
}: ErasureOptions): Eraser {
  async function eraseRecordings(projectId: string, distinctId: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { rows } = await store.listReplays(projectId, { distinctIds: [distinctId], limit: PAGE_SIZE });
      for (const { sessionId } of rows) {
        signal.throwIfAborted();
        await replays.remove({ projectId, sessionId });
      }
      if (rows.length === 0) return;
    }
  }

  return {
    async erasePerson({ projectId, distinctIds }, signal) {
      for (const distinctId of distinctIds) await eraseRecordings(projectId, distinctId, signal);
      await events.erase({ projectId, distinctIds: new Set(distinctIds) }, signal);
      await personIds.remove(distinctIds.map((distinctId) => ({ projectId, distinctId })));
      return [];
    },

    async eraseProject(projectId, signal) {
      await replays.removeProject(projectId, signal);
      // Before the events, so that no part is imported after them.
      while ((await imports.removeProject(projectId, ROWS_AT_ONCE)) > 0) signal.throwIfAborted();
      await events.erase({ projectId, distinctIds: 'all' }, signal);
      await personIds.removeProject(projectId, signal);
      while ((await letters.removeProject(projectId, ROWS_AT_ONCE)) > 0) signal.throwIfAborted();
    },
  };
}
