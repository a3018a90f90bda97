import { backoffDelay, pause } from '@switchboard/resilience';
import { PartitionLost } from './errors.ts';
import type { ConsumeOptions, LogEntry, OutgoingRecord, RecordBatch, StoredRecord } from './types.ts';

export interface Fetched {
  topic: string;
  partition: number;
  records: StoredRecord[];
  nextOffset: bigint;
}

/** The assignment of a partition to this consumer, until it is revoked. */
export interface Ownership {
  readonly topic: string;
  readonly partition: number;
  readonly signal: AbortSignal;
  /** Ends back-offs and signals handlers. Work that they finish can still be committed. */
  stop(): void;
  /** Prevents later work from being committed. */
  lose(): void;
  lost(): boolean;
}

export function createOwnership(topic: string, partition: number): Ownership {
  const controller = new AbortController();
  let lost = false;
  return {
    topic,
    partition,
    signal: controller.signal,
    stop: () => controller.abort(),
    lose() {
      lost = true;
      controller.abort();
    },
    lost: () => lost,
  };
}

/** How a consumer stores its offsets and dead letters. */
export interface Progress {
  commit(ownership: Ownership, offset: bigint): Promise<unknown>;
  /** Commits in the background. Default: the handler's partition waits for `commit`. */
  commitSoon?(ownership: Ownership, offset: bigint): void;
  publishDeadLetter(topic: string, record: OutgoingRecord): Promise<unknown>;
}

export interface DeliverOptions {
  consume: ConsumeOptions;
  progress: Progress;
  onLog?: ((entry: LogEntry) => void) | undefined;
  /** Called after every failed attempt. */
  onFailure?(): void;
}

/**
 * Calls the handler until it succeeds, then commits. Resolves with false if the partition is lost or the consumer
 * stops first.
 */
export async function deliver(
  ownership: Ownership,
  fetched: Fetched,
  options: DeliverOptions,
): Promise<boolean> {
  const { consume, progress, onLog } = options;
  const where = `${consume.group} at ${fetched.topic}/${fetched.partition}, offset ${fetched.records[0]?.offset}`;
  const batch = batchOf(ownership, fetched, progress);
  let handled = false;
  for (let failures = 0; handled || !ownership.signal.aborted; ) {
    try {
      // If only the commit failed, only the commit is retried.
      if (!handled) await consume.handle(batch);
      handled = true;
      if (ownership.lost()) return false;
      if (consume.commit !== 'manual') {
        if (progress.commitSoon) progress.commitSoon(ownership, fetched.nextOffset);
        else await progress.commit(ownership, fetched.nextOffset);
      }
      if (failures > 0)
        onLog?.({ level: 'info', message: `${where}: handler succeeded after ${failures} failures` });
      return true;
    } catch (error) {
      if (error instanceof PartitionLost) return false;
      if (handled && ownership.signal.aborted) return false;
      failures++;
      if (failures === 1) {
        onLog?.({
          level: 'error',
          // Without the error's message, because that of a query contains its parameters.
          message: `${where}: handler failed, retrying`,
          error,
          records: fetched.records,
        });
      }
      options.onFailure?.();
      await pause(
        backoffDelay(failures - 1, {
          baseMs: consume.retryMinMs ?? 100,
          maxMs: consume.retryMaxMs ?? 10_000,
        }),
        ownership.signal,
      );
    }
  }
  return false;
}

function batchOf(ownership: Ownership, fetched: Fetched, progress: Progress): RecordBatch {
  return {
    ...fetched,
    signal: ownership.signal,
    async deadLetter(record, reason) {
      await progress.publishDeadLetter(deadLetterTopic(record.topic), {
        partition: record.partition,
        key: record.key,
        value: record.value,
        headers: {
          ...record.headers,
          'dead-letter-reason': reason,
          'dead-letter-topic': record.topic,
          'dead-letter-partition': String(record.partition),
          'dead-letter-offset': String(record.offset),
        },
      });
    },
    async commit(offset = fetched.nextOffset) {
      if (ownership.lost()) throw lostError(ownership);
      await progress.commit(ownership, offset);
    },
  };
}

export function deadLetterTopic(topic: string): string {
  return `${topic}.dead-letter`;
}

/** Returns the log entry for a group that lost its stored position. It continues from the earliest record. */
export function offsetsWentBack(at: {
  group: string;
  topic: string;
  partition: number;
  position: bigint | string;
}): LogEntry {
  return {
    level: 'error',
    message: `${at.group} is at offset ${at.position} of ${at.topic}/${at.partition}, which is not stored: the topic was recreated or truncated, or retention removed unread records. Resuming at the earliest stored record`,
  };
}

export function lostError(ownership: Ownership): PartitionLost {
  return new PartitionLost(
    `${ownership.topic}/${ownership.partition} is assigned to another consumer: nothing committed`,
  );
}
