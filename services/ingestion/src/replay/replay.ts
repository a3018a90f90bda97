import { createHash } from 'node:crypto';
import {
  ingestionTopics,
  REPLAY_MAX_BYTES,
  type ReplayChunk,
  type ReplayRecord,
} from '@switchboard/contracts';
import { type OutgoingRecord, partitionFor } from '@switchboard/event-log';
import { PayloadTooLarge } from '@switchboard/service-kit';
import type { Publishing } from '../records/publishing.ts';
import { serialise } from '../records/serialise.ts';

/** Larger chunks are published in parts. */
const PART_MAX_BYTES = 900_000;

export interface Replay {
  /** Resolves once the event log has stored every part of the chunk. */
  accept(projectId: string, chunk: ReplayChunk): Promise<void>;
}

export function createReplay({ log, clock, partitions }: Publishing): Replay {
  return {
    async accept(projectId, chunk) {
      const bytes = chunkBytes(projectId, chunk);
      const key = `${projectId}:${chunk.session_id}`;
      const partition = partitionFor(key, partitions);
      const parts = Math.ceil(bytes.length / PART_MAX_BYTES);
      const headers = {
        project: projectId,
        session: chunk.session_id,
        seq: String(chunk.seq),
        received_at: clock.now().toISOString(),
        // A retry of a chunk gets the same name.
        chunk: createHash('sha256').update(bytes).digest('hex').slice(0, 32),
        parts: String(parts),
      };
      const records = Array.from({ length: parts }, (_, index): OutgoingRecord => {
        const value = bytes.subarray(index * PART_MAX_BYTES, (index + 1) * PART_MAX_BYTES);
        return { partition, key, value, headers: { ...headers, part: String(index + 1) } };
      });
      await log.publish(ingestionTopics.replays, records);
    },
  };
}

function chunkBytes(projectId: string, { api_key: _, events, ...metadata }: ReplayChunk): Buffer {
  const record: ReplayRecord = { project_id: projectId, ...metadata, events };
  const bytes = Buffer.from(serialise(record, () => 'events'));
  // Numbers such as 1e20 grow when they are serialised again.
  const envelope = Buffer.byteLength(JSON.stringify({ ...record, events: [] }));
  if (bytes.length - envelope > REPLAY_MAX_BYTES) {
    throw new PayloadTooLarge(`events: larger than ${REPLAY_MAX_BYTES} bytes as JSON`);
  }
  return bytes;
}
