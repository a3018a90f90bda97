import { ingestionTopics } from '@switchboard/contracts';
import { createPartitionWorkers, type EventLog, PartitionLost } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import type { Logger, Metrics } from '@switchboard/runtime';
import pLimit from 'p-limit';
import { createReplayPartition } from './partition.ts';
import { createSpill } from './spill.ts';
import { createChunkStorage } from './storage.ts';
import type { ReplaysStore } from './store.ts';

/** The consumer group of the replay archive. */
export const REPLAYS_GROUP = 'archive.replays';

const TOPIC = ingestionTopics.replays;
const BATCH_BYTES = 4_000_000;
/** The parts of an accepted chunk are published within 5 s. A slower upload was answered with 503. */
const PATIENCE_MS = 60_000;
const MAX_HELD_BYTES = 134_217_728;
/** The number of groups of chunks that are decoded and stored at once. Each takes about four times its bytes. */
const MAX_CONCURRENT_GROUPS = 2;
const MAX_SWEEP_INTERVAL_MS = 5_000;

export interface ReplayConsumerOptions {
  store: ReplaysStore;
  log: EventLog;
  objects: ObjectStore;
  logger: Logger;
  metrics: Metrics;
  /** How long to wait for the missing parts of a chunk. */
  patienceMs?: number;
  /** The limit for parts in memory. Beyond it, parts of incomplete chunks wait in the object store. */
  maxHeldBytes?: number;
}

/** Archives the topic `replays`. The offset of a chunk is committed once its object and its row are stored. */
export function createReplayConsumer(options: ReplayConsumerOptions) {
  const { store, log, objects, logger, metrics } = options;
  const { patienceMs = PATIENCE_MS, maxHeldBytes = MAX_HELD_BYTES } = options;
  const storage = createChunkStorage({ store, objects, metrics });
  const limit = pLimit(MAX_CONCURRENT_GROUPS);
  const heldBytes = (): number => [...workers.open.values()].reduce((sum, one) => sum + one.bytes(), 0);
  const deadLetters = metrics.counter(
    'switchboard_replay_chunks_dead_lettered_total',
    'Invalid or incomplete replay chunks.',
  );
  metrics.gauge(
    'switchboard_replay_incomplete_bytes',
    'Bytes of replay chunks held in memory until their other parts arrive.',
    heldBytes,
  );
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();

  const workers = createPartitionWorkers({
    log,
    group: REPLAYS_GROUP,
    topic: TOPIC,
    maxBatchBytes: BATCH_BYTES,
    open(partition) {
      const spill = createSpill(objects, partition);
      const isOverfull = () => heldBytes() > maxHeldBytes;
      const shared = { store, storage, limit, logger, deadLetters, patienceMs, isOverfull };
      return createReplayPartition({ ...shared, spill });
    },
  });

  async function sweep(): Promise<void> {
    for (const [number, partition] of workers.open) {
      try {
        await partition.sweep(async () => (await log.endOffsets(TOPIC))[number]);
      } catch (error) {
        if (error instanceof PartitionLost) continue;
        logger.failed('sweep incomplete chunks', error, { partition: number });
      }
    }
  }

  return {
    start() {
      workers.start();
      const everyMs = Math.min(MAX_SWEEP_INTERVAL_MS, patienceMs / 4);
      timer ??= setInterval(() => (sweeping = sweeping.then(sweep)), everyMs);
    },
    async stop() {
      clearInterval(timer);
      await workers.stop();
      await sweeping;
    },
  };
}
