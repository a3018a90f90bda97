import { ingestionTopics } from '@switchboard/contracts';
import type { Consumption, EventLog } from '@switchboard/event-log';
import { createFairQueue } from '@switchboard/fairness';
import type { Logger } from '@switchboard/runtime';
import type { ClickhouseStore } from '../clickhouse/store.ts';
import { insertBlock } from './insert.ts';
import type { FeedMetrics } from './metrics.ts';
import { createFeedPartition, type FeedPartition, type FeedSettings } from './partition.ts';
import type { FeedStore } from './store.ts';

/** The consumer group. Its committed offsets are the progress of inserting events into ClickHouse. */
export const CLICKHOUSE_GROUP = 'analytics.clickhouse';

/** Blocks are inserted one after the other, so that each knows the ids of earlier ones. */
const MAX_INSERTS = 1;
/** The size on the wire. Kafka's batches are compressed, and several times as large in memory. */
const BATCH_BYTES = 256 * 1024;

interface FeedOptions {
  store: Pick<ClickhouseStore, 'findKeys' | 'insertEvents' | 'insertKeys'>;
  blocks: FeedStore;
  log: Pick<EventLog, 'consume'>;
  logger: Logger;
  metrics: FeedMetrics;
  settings: FeedSettings;
}

export interface Feed {
  /** Returns at once. */
  start(): void;
  /** Drops events that are not inserted yet. They are read again at the next start, here or elsewhere. */
  stop(): Promise<void>;
}

/** Creates the consumer that inserts the topic `events` into ClickHouse, each event once. */
export function createFeed({ store, blocks, log, logger, metrics, settings }: FeedOptions): Feed {
  const partitions = new Map<number, FeedPartition>();
  const inserting = createFairQueue(MAX_INSERTS);
  let consumption: Promise<Consumption> | undefined;

  function partitionOf(partition: number): FeedPartition {
    const known = partitions.get(partition);
    if (known !== undefined) return known;
    const created = createFeedPartition({
      partition,
      blocks,
      settings,
      held: metrics.held,
      logger,
      insert: (block, records, batch, signal) =>
        inserting(String(partition), async () => {
          const startedAt = performance.now();
          const inserted = await insertBlock(block, records, { store, batch, signal });
          metrics.inserted(inserted, (performance.now() - startedAt) / 1000);
        }),
    });
    partitions.set(partition, created);
    return created;
  }

  return {
    start() {
      consumption ??= log.consume({
        group: CLICKHOUSE_GROUP,
        topics: [ingestionTopics.events],
        commit: 'manual',
        maxBatchBytes: BATCH_BYTES,
        minFetchBytes: BATCH_BYTES,
        handle: (batch) => partitionOf(batch.partition).add(batch),
        onRevoked(_, partition) {
          partitions.get(partition)?.drop();
          partitions.delete(partition);
        },
      });
    },
    async stop() {
      const left = [...partitions.values()];
      for (const one of left) one.drop();
      await (await consumption)?.stop();
      await Promise.all(left.map((one) => one.settled()));
    },
  };
}
