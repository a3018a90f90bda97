import type { Database } from '@switchboard/database';
import { backoffDelay, pause } from '@switchboard/resilience';
import {
  createOwnership,
  deliver,
  lostError,
  type Ownership,
  offsetsWentBack,
  type Progress,
} from '../deliver.ts';
import { EventLogUnavailable, messageOf, PartitionLost } from '../errors.ts';
import type { ConsumeOptions, LogEntry } from '../types.ts';
import type { Feed } from './feed.ts';
import { type Claim, commitOffset, rewind } from './members.ts';
import { readRecords } from './reader.ts';

export interface Worker {
  readonly claim: Claim;
  readonly ownership: Ownership;
  /** Returns the next offset to read. */
  position(): bigint;
  wake(): void;
  /** Settles when the running handler has finished and reading has stopped. */
  readonly done: Promise<void>;
}

/** Consumes one partition from the committed offset until it is stopped or lost. */
export function startWorker(options: {
  database: Database;
  feed: Feed;
  claim: Claim;
  committed: bigint;
  consume: ConsumeOptions;
  publishDeadLetter: Progress['publishDeadLetter'];
  onLog?: ((entry: LogEntry) => void) | undefined;
}): Worker {
  const { database, claim, consume, onLog } = options;
  const { topic, partition } = claim;
  const ownership = createOwnership(topic, partition);
  const { signal } = ownership;
  const maxBytes = consume.maxBatchBytes ?? 1024 * 1024;
  let position = options.committed;
  let woken = true;
  let onWake: (() => void) | undefined;

  const progress: Progress = {
    publishDeadLetter: options.publishDeadLetter,
    async commit(_, offset) {
      let stored: boolean;
      try {
        stored = await commitOffset(database, claim, offset);
      } catch (error) {
        throw new EventLogUnavailable(`cannot commit ${topic}/${partition}: ${messageOf(error)}`, {
          cause: error,
        });
      }
      if (stored) return;
      ownership.lose();
      throw lostError(ownership);
    },
  };

  function wake(): void {
    woken = true;
    onWake?.();
  }

  async function sleepUntilWoken(): Promise<void> {
    if (!woken && !signal.aborted) await new Promise<void>((resolve) => (onWake = resolve));
    onWake = undefined;
  }

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        woken = false;
        await readNext();
        failures = 0;
      } catch (error) {
        if (error instanceof PartitionLost) return;
        if (++failures === 1) {
          const message = `Reading ${topic}/${partition} as ${consume.group} fails: ${messageOf(error)}`;
          onLog?.({ level: 'warn', message, error });
        }
        await pause(backoffDelay(failures - 1, { baseMs: 100, maxMs: 2_000 }), signal);
      }
    }
  }

  async function readNext(): Promise<void> {
    const fetched = await readRecords(database, { topic, partition, offset: position, maxBytes });
    if (fetched.records.length > 0) {
      if (await deliver(ownership, fetched, { consume, progress, onLog })) position = fetched.nextOffset;
      return;
    }
    if (fetched.nextOffset < position) {
      onLog?.(offsetsWentBack({ group: consume.group, topic, partition, position }));
      await rewind(database, claim);
      ownership.lose();
      throw lostError(ownership);
    }
    // Compaction or retention removed the records, so skip to the end.
    if (fetched.nextOffset > position && consume.commit !== 'manual') {
      await progress.commit(ownership, fetched.nextOffset);
    }
    if (fetched.nextOffset > position) position = fetched.nextOffset;
    await sleepUntilWoken();
  }

  const unsubscribe = options.feed.onRecords(topic, partition, wake);
  signal.addEventListener('abort', wake, { once: true });
  const done = run().finally(unsubscribe);
  return { claim, ownership, position: () => position, wake, done };
}
