import { ingestionTopics } from '@switchboard/contracts';
import { type BackgroundConsumer, createPartitionWorkers, type EventLog } from '@switchboard/event-log';
import { createFairQueue } from '@switchboard/fairness';
import type { Logger } from '@switchboard/runtime';
import type { ClickhouseStore } from '../clickhouse/store.ts';
import { insertBlock } from './insert.ts';
import type { FeedMetrics } from './metrics.ts';
import { createFeedPartition, type FeedSettings } from './partition.ts';
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

/** Creates the consumer that inserts the topic `events` into ClickHouse, each event once. */
export function createFeed({
  store,
  blocks,
  log,
  logger,
  metrics,
  settings,
}: FeedOptions): BackgroundConsumer {
  const inserting = createFairQueue(MAX_INSERTS);
  return createPartitionWorkers({
    log,
    group: CLICKHOUSE_GROUP,
    topic: ingestionTopics.events,
    maxBatchBytes: BATCH_BYTES,
    minFetchBytes: BATCH_BYTES,
    open: (partition) =>
      createFeedPartition({
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
      }),
  });
}
