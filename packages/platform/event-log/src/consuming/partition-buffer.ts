import { backoffDelay } from '@switchboard/resilience';
import { PartitionLost } from '../errors.ts';
import type { FailureLog } from './consumer.ts';
import type { PartitionWorker } from './partition-workers.ts';

interface PartitionBufferOptions {
  topic: string;
  partition: number;
  limits: {
    /** Bytes of this partition at which it is due. */
    bytes: number;
    /** The longest wait of the first record, in milliseconds. */
    ageMs: number;
    /** Bytes of all partitions of this process past which each is due. */
    bufferBytes: number;
  };
  /** Bytes held in memory by all partitions of this process. */
  held: { bytes: number };
  /** The name of the work, for log lines. */
  task: string;
  /** Writes the records that are due. */
  write(): Promise<void>;
  /** Drops all held records. */
  onDropped(): void;
  logger: FailureLog & { info(fields: object, message: string): void };
}

/** Bounds what a worker of a partition holds, and runs its work one after the other. */
export interface PartitionBuffer extends Pick<PartitionWorker, 'drop' | 'settled'> {
  /** Aborted when the partition is dropped. */
  signal: AbortSignal;
  /** Runs work after earlier work has ended, unless the partition is dropped. */
  inTurn(work: () => Promise<void>): Promise<void>;
  /** Counts more bytes as held, or fewer. */
  count(bytes: number): void;
  /** Starts the age of the first record. */
  startAge(): void;
  isDue(): boolean;
  /** Writes when the first record has reached its maximum age. Retries with backoff. */
  writeWhenDue(): void;
}

export function createPartitionBuffer(options: PartitionBufferOptions): PartitionBuffer {
  const { topic, partition, limits, held, task, write, onDropped, logger } = options;
  const dropping = new AbortController();
  const { signal } = dropping;
  let bytes = 0;
  let heldSince = 0;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = turn.then(() => (signal.aborted ? undefined : work()));
    turn = done.catch(() => undefined);
    return done;
  }

  function count(more: number): void {
    bytes += more;
    held.bytes += more;
  }

  const age = () => performance.now() - heldSince;

  function writeIn(ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void inTurn(write).then(onWritten, onFailure);
    }, ms);
  }

  function onWritten(): void {
    if (failures > 0) logger.info({ topic, partition, failures, task }, 'succeeded after failures');
    failures = 0;
  }

  function onFailure(error: unknown): void {
    if (error instanceof PartitionLost) drop();
    if (signal.aborted) return;
    failures++;
    logger.failed(task, error, { partition });
    writeIn(backoffDelay(failures, { baseMs: 200, maxMs: 10_000 }));
  }

  function drop(): void {
    if (signal.aborted) return;
    dropping.abort(new PartitionLost(`${topic}/${partition} has another owner`));
    clearTimeout(timer);
    count(-bytes);
    onDropped();
  }

  return {
    signal,
    inTurn,
    count,
    startAge() {
      heldSince = performance.now();
    },
    isDue: () => bytes >= limits.bytes || held.bytes >= limits.bufferBytes || age() >= limits.ageMs,
    writeWhenDue: () => writeIn(Math.max(0, limits.ageMs - age())),
    drop,
    settled: () => turn,
  };
}
