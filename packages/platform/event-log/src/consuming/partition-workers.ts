import type { Consumption, EventLog, RecordBatch } from '../types.ts';
import type { BackgroundConsumer } from './consumer.ts';

/**
 * The work on one partition, from its assignment to its revocation. A worker collects records, writes many at once,
 * keeps its position in its own database, and commits each record after writing it.
 */
export interface PartitionWorker {
  /** Takes the records of a batch. If it throws, it is called again with the same records. */
  add(batch: RecordBatch): Promise<void>;
  /** Drops all uncommitted records. They are delivered again, here or elsewhere. */
  drop(): void;
  /** Resolves when no work is in progress. */
  settled(): Promise<unknown>;
}

interface PartitionWorkersOptions<W extends PartitionWorker> {
  log: Pick<EventLog, 'consume'>;
  group: string;
  topic: string;
  maxBatchBytes: number;
  /** Default: 1. */
  minFetchBytes?: number;
  /** Creates the worker of a partition. */
  open(partition: number): W;
}

export interface PartitionWorkers<W extends PartitionWorker> extends BackgroundConsumer {
  /** The workers of the partitions that this process has, by partition. */
  open: ReadonlyMap<number, W>;
}

/** Creates a consumer with a worker for each partition that it is assigned. Workers commit themselves. */
export function createPartitionWorkers<W extends PartitionWorker>(
  options: PartitionWorkersOptions<W>,
): PartitionWorkers<W> {
  const { log, group, topic, open, ...sizes } = options;
  const workers = new Map<number, W>();
  let consumption: Promise<Consumption> | undefined;

  function workerOf(partition: number): W {
    const worker = workers.get(partition) ?? open(partition);
    workers.set(partition, worker);
    return worker;
  }

  return {
    open: workers,
    start() {
      consumption ??= log.consume({
        ...sizes,
        group,
        topics: [topic],
        commit: 'manual',
        handle: (batch) => workerOf(batch.partition).add(batch),
        onRevoked(_, partition) {
          workers.get(partition)?.drop();
          workers.delete(partition);
        },
      });
    },
    async stop() {
      const left = [...workers.values()];
      for (const worker of left) worker.drop();
      await (await consumption)?.stop();
      await Promise.all(left.map((worker) => worker.settled()));
    },
  };
}

type Batch = Pick<RecordBatch, 'records' | 'nextOffset'>;

/**
 * Whether two batches of a partition have the same records. Compares offsets, because each attempt may pass a
 * different object, and times, because a recreated topic reuses offsets.
 */
export function isSameBatch(a: Batch, b: Batch): boolean {
  const [first, other] = [a.records[0], b.records[0]];
  if (first?.offset !== other?.offset || first?.timestamp !== other?.timestamp) return false;
  return a.nextOffset === b.nextOffset;
}
