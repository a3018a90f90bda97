import type { Database } from '@switchboard/database';
import type { ObjectStore } from '@switchboard/object-store';
import type { Metrics } from '@switchboard/service-kit';
import type { Chunk } from './chunk.ts';
import { objectKey, packObject } from './object.ts';
import { recordChunk } from './store.ts';

interface ArchiveOptions {
  database: Pick<Database, 'drizzle'>;
  objects: ObjectStore;
  metrics: Pick<Metrics, 'counter'>;
}

export type Archive = ReturnType<typeof createArchive>;

/** Keeps chunks: the object first, then its row, so that what the manifest names is there. */
export function createArchive({ database, objects, metrics }: ArchiveOptions) {
  const archived = metrics.counter(
    'switchboard_replay_chunks_archived_total',
    'Replay chunks that were archived, each once.',
  );
  const bytes = metrics.counter(
    'switchboard_replay_bytes_archived_total',
    'Bytes of archived replay chunks, as JSON.',
  );
  const duplicates = metrics.counter(
    'switchboard_replay_chunks_duplicate_total',
    'Replay chunks that were sent again and dropped.',
  );

  return {
    /** Stores chunks that stand in the order of the log. May be done again: nothing is doubled. */
    async store(chunks: readonly Chunk[]): Promise<void> {
      const sizes = await Promise.all(
        chunks.map(async ({ facts, json }) => {
          const object = await packObject(json);
          await objects.put(objectKey(facts), object);
          return object.length;
        }),
      );
      for (const [index, { facts }] of chunks.entries()) {
        const outcome = await recordChunk(database.drizzle, facts, sizes[index] ?? 0);
        if (outcome === 'deleted') await objects.delete(objectKey(facts));
        if (outcome === 'duplicate') duplicates.add();
        if (outcome === 'archived') {
          archived.add();
          bytes.add(facts.bytes);
        }
      }
    },
  };
}
