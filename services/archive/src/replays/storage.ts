import type { ObjectStore } from '@switchboard/object-store';
import type { Metrics } from '@switchboard/runtime';
import type { Chunk } from './chunk.ts';
import { encodeChunk, objectKey } from './encode.ts';
import type { ReplaysStore } from './store.ts';

interface ChunkStorageOptions {
  store: Pick<ReplaysStore, 'recordChunk'>;
  objects: ObjectStore;
  metrics: Pick<Metrics, 'counter'>;
}

export interface ChunkStorage {
  /** Stores chunks in log order. Idempotent: nothing is stored or counted twice. */
  store(chunks: readonly Chunk[]): Promise<void>;
}

/**
 * Creates a storage that writes the object of a chunk before its row, so that every chunk in a manifest has its
 * object.
 */
export function createChunkStorage({ store, objects, metrics }: ChunkStorageOptions): ChunkStorage {
  const archived = metrics.counter('switchboard_replay_chunks_archived_total', 'Replay chunks archived.');
  const bytes = metrics.counter(
    'switchboard_replay_bytes_archived_total',
    'Bytes of archived replay chunks, as JSON.',
  );
  const duplicates = metrics.counter(
    'switchboard_replay_chunks_duplicate_total',
    'Replay chunks dropped as duplicates.',
  );

  return {
    async store(chunks) {
      const sizes = await Promise.all(
        chunks.map(async ({ metadata, json }) => {
          const object = await encodeChunk(json);
          await objects.put(objectKey(metadata), object);
          return object.length;
        }),
      );
      for (const [index, { metadata }] of chunks.entries()) {
        const outcome = await store.recordChunk(metadata, sizes[index] ?? 0);
        if (outcome === 'deleted') await objects.delete(objectKey(metadata));
        if (outcome === 'duplicate') duplicates.add();
        if (outcome === 'archived') {
          archived.add();
          bytes.add(metadata.bytes);
        }
      }
    },
  };
}
