import { ingestionTopics, type ReplayChunk, type ReplayRecord } from '@switchboard/contracts';
import { type OutgoingRecord, partitionFor } from '@switchboard/event-log';
import { chunkHash, fairnessKeyOfProject } from '@switchboard/http';
import type { Publishing } from '../records/publishing.ts';
import { clockCorrection } from '../records/times.ts';

/** Larger chunks are published in parts. */
const PART_MAX_BYTES = 900_000;

/** The highest white space byte. Outside texts, JSON has no other byte up to it. */
const SPACE = 0x20;

export interface Replay {
  /**
   * Resolves once the event log has stored every part of the chunk. `sentAt` is the time of sending by the client's
   * clock. Default: the time of the chunk, because a chunk is sent when it is complete.
   */
  accept(projectId: string, chunk: ReplayChunk, sentAt?: string): Promise<void>;
}

export function createReplay({ log, clock }: Publishing): Replay {
  return {
    async accept(projectId, chunk, sentAt = chunk.timestamp) {
      const receivedAt = clock.now();
      const values = partsOf(recordOf(projectId, chunk));
      const key = `${projectId}:${chunk.session_id}`;
      const headers = {
        project: projectId,
        session: chunk.session_id,
        seq: String(chunk.seq),
        received_at: receivedAt.toISOString(),
        correction: String(clockCorrection(sentAt, receivedAt)),
        // A retry of a chunk gets the same name.
        chunk: await chunkHash(values, fairnessKeyOfProject(projectId)),
        parts: String(values.length),
      };
      const partition = partitionFor(key, await log.partitions(ingestionTopics.replays));
      const records = values.map((value, index): OutgoingRecord => {
        return { partition, key, value, headers: { ...headers, part: String(index + 1) } };
      });
      await log.publish(ingestionTopics.replays, records, fairnessKeyOfProject(projectId));
    },
  };
}

/** Returns the JSON of the chunk's record in pieces. Its events are last, as they were sent. */
function recordOf(projectId: string, { api_key: _, events, ...metadata }: ReplayChunk): Buffer[] {
  const record: ReplayRecord = { project_id: projectId, ...metadata, events: [] };
  const around = Buffer.from(JSON.stringify(record));
  return [around.subarray(0, -2), trimmed(events.bytes), around.subarray(-2)];
}

/** Trims white space, because readers interpret any byte as an event. */
function trimmed(items: Uint8Array): Buffer {
  let [start, end] = [0, items.length];
  while (start < end && (items[start] ?? 0) <= SPACE) start++;
  while (start < end && (items[end - 1] ?? 0) <= SPACE) end--;
  return Buffer.from(items.buffer, items.byteOffset + start, end - start);
}

/** Cuts the pieces into parts. They are large, so they are copied only where one piece follows another. */
function partsOf(pieces: readonly Buffer[]): Buffer[] {
  const parts: Buffer[] = [];
  let part: Buffer[] = [];
  let room = PART_MAX_BYTES;
  const close = () => {
    const [only, ...others] = part;
    if (only !== undefined) parts.push(others.length === 0 ? only : Buffer.concat(part));
    part = [];
    room = PART_MAX_BYTES;
  };
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const taken = piece.subarray(from, from + room);
      part.push(taken);
      from += taken.length;
      room -= taken.length;
      if (room === 0) close();
    }
  }
  close();
  return parts;
}
