import type { Database } from '@switchboard/database';
import { createPolling } from '@switchboard/resilience';
import type { FollowOptions, LogEntry } from '../types.ts';
import { readEnds } from './offsets.ts';
import { readRecords } from './reader.ts';

const EVERY_MS = 250;
const MAX_BYTES = 1024 * 1024;

interface FollowerOptions extends Pick<FollowOptions, 'topic' | 'onRecords'> {
  /** The offsets to start from, by partition. */
  starts: readonly bigint[];
  database(): Database;
  onLog?: ((entry: LogEntry) => void) | undefined;
}

/** Reads the new records of a topic until it is stopped. */
export function startFollower(options: FollowerOptions): { stop(): Promise<void> } {
  const { topic, starts, database, onRecords, onLog } = options;
  const positions = new Map(starts.entries());

  async function readNew(partition: number, end: bigint, signal: AbortSignal): Promise<void> {
    // A partition added later is new as a whole. A smaller end belongs to a topic that was created again.
    let offset = positions.get(partition) ?? 0n;
    if (offset > end) offset = 0n;
    while (offset < end && !signal.aborted) {
      const { records, nextOffset } = await readRecords(database(), {
        topic,
        partition,
        offset,
        maxBytes: MAX_BYTES,
      });
      offset = nextOffset;
      positions.set(partition, offset);
      if (records.length > 0) onRecords(records);
    }
  }

  const polling = createPolling(
    async (signal) => {
      const ends = await readEnds(database(), topic);
      for (const [partition, end] of ends.entries()) await readNew(partition, end, signal);
    },
    {
      everyMs: EVERY_MS,
      onFailure: (error) =>
        onLog?.({ level: 'warn', task: 'follow a topic', message: `following ${topic} failed`, error }),
    },
  );
  polling.start();
  return polling;
}
