import { backoffDelay, pause } from '@switchboard/resilience';
import type { Ownership } from '../deliver.ts';
import { messageOf, PartitionLost } from '../errors.ts';
import type { LogEntry } from '../types.ts';

/** Commits offsets in the background. While a commit is running, the newest offset of a partition waits. */
export interface Commits {
  /** Returns at once. `commit` throws PartitionLost if another member owns the partition. */
  soon(ownership: Ownership, offset: bigint, commit: Commit): void;
  /** Resolves when no commit is waiting or running. */
  settled(): Promise<unknown>;
}

type Commit = (ownership: Ownership, offset: bigint) => Promise<unknown>;

interface Due {
  offset: bigint;
  commit: Commit;
}

/**
 * kafkajs fetches again only when the handlers of all fetched batches have returned, so a handler that waited for its
 * commit would delay the records of every partition. Retries until the partition is lost or, after at least one attempt,
 * the consumer stops.
 */
export function createCommits(group: string, onLog: ((entry: LogEntry) => void) | undefined): Commits {
  const due = new Map<Ownership, Due>();
  const running = new Map<Ownership, Promise<void>>();

  async function run(ownership: Ownership): Promise<void> {
    let failures = 0;
    try {
      for (let next = due.get(ownership); next !== undefined; next = due.get(ownership)) {
        due.delete(ownership);
        try {
          await next.commit(ownership, next.offset);
          failures = 0;
        } catch (error) {
          if (error instanceof PartitionLost) return;
          if (failures++ === 0)
            onLog?.({
              level: 'warn',
              message: `${group} cannot commit, retrying: ${messageOf(error)}`,
              error,
            });
          if (ownership.signal.aborted) return;
          if (!due.has(ownership)) due.set(ownership, next);
          await pause(backoffDelay(failures - 1, { baseMs: 100, maxMs: 2_000 }), ownership.signal);
        }
      }
    } finally {
      // At once, so that an offset which comes now starts the next run.
      running.delete(ownership);
      due.delete(ownership);
    }
  }

  return {
    soon(ownership, offset, commit) {
      due.set(ownership, { offset, commit });
      if (!running.has(ownership)) running.set(ownership, run(ownership));
    },
    settled: () => Promise.allSettled(running.values()),
  };
}
