import { ingestionTopics } from '@switchboard/contracts';
import type { Database } from '@switchboard/database';
import { type Consumption, type EventLog, PartitionLost, type RecordBatch } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import type { Logger, Metrics } from '@switchboard/service-kit';
import { createArchive } from './archive.ts';
import { createPartition, type Partition } from './partition.ts';

export const replayArchiveGroup = 'ingestion.replay-archive';

const topic = ingestionTopics.replays;
const BATCH_BYTES = 4_000_000;
/** An accepted chunk's parts are published within 5 s; what takes longer was answered 503. */
const PATIENCE_MS = 60_000;
const HELD_BYTES = 134_217_728;
const MOST_BETWEEN_LOOKS_MS = 5_000;

export interface ReplayArchiveOptions {
  database: Pick<Database, 'drizzle'>;
  log: EventLog;
  objects: ObjectStore;
  logger: Logger;
  metrics: Metrics;
  /** How long the missing parts of a chunk are waited for. */
  patienceMs?: number;
  /** Bound on the parts of incomplete chunks in memory. */
  maxHeldBytes?: number;
}

/** Archives the topic `replays`. The offset of a chunk is committed once its object and its row are stored. */
export function createReplayArchive(options: ReplayArchiveOptions) {
  const { database, log, logger, metrics } = options;
  const { patienceMs = PATIENCE_MS, maxHeldBytes = HELD_BYTES } = options;
  const archive = createArchive(options);
  const partitions = new Map<number, Partition>();
  const heldBytes = () => [...partitions.values()].reduce((sum, one) => sum + one.bytes(), 0);
  const deadLetters = metrics.counter(
    'switchboard_replay_chunks_dead_lettered_total',
    'Replay chunks that could not be read or never became complete.',
  );
  metrics.gauge(
    'switchboard_replay_incomplete_bytes',
    'Parts of replay chunks held until the rest of them comes.',
    heldBytes,
  );
  let consumption: Promise<Consumption> | undefined;
  let looks: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  function newPartition(number: number): Partition {
    const isOverfull = () => heldBytes() > maxHeldBytes;
    const made = createPartition({ database, archive, logger, deadLetters, patienceMs, isOverfull });
    partitions.set(number, made);
    return made;
  }

  async function handle(batch: RecordBatch): Promise<void> {
    const known = partitions.get(batch.partition);
    const partition = known === undefined || known.hasPassed(batch) ? newPartition(batch.partition) : known;
    await partition.handle(batch);
  }

  async function look(): Promise<void> {
    for (const [number, partition] of partitions) {
      try {
        await partition.lookAfter(async () => (await log.endOffsets(topic))[number]);
      } catch (error) {
        if (error instanceof PartitionLost) continue;
        logger.warn({ error, partition: number }, 'an incomplete replay chunk cannot be put aside yet');
      }
    }
  }

  return {
    start() {
      consumption ??= log.consume({
        group: replayArchiveGroup,
        topics: [topic],
        commit: 'manual',
        maxBatchBytes: BATCH_BYTES,
        handle,
        onRevoked: (_, partition) => void partitions.delete(partition),
      });
      const every = Math.min(MOST_BETWEEN_LOOKS_MS, patienceMs / 4);
      looks ??= setInterval(() => (looking = looking.then(look)), every);
    },
    async stop() {
      clearInterval(looks);
      await (await consumption)?.stop();
      await looking;
    },
  };
}
