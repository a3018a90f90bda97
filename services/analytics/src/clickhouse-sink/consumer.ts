import { ingestionTopics } from '@switchboard/contracts';
import { type BackgroundConsumer, createPartitionWorkers, type EventLog } from '@switchboard/event-log';
import { createFairQueue } from '@switchboard/fairness';
import type { Logger } from '@switchboard/runtime';
import type { ClickhouseStore } from '../clickhouse/store.ts';
import { insertBlock } from './insert.ts';
import type { SinkMetrics } from './metrics.ts';
import { createSinkPartition, type SinkSettings } from './partition.ts';
import type { ClickhouseSinkStore } from './store.ts';

/** The consumer group. Its committed offsets are the progress of inserting events into ClickHouse. */
export const CLICKHOUSE_GROUP = 'analytics.clickhouse';

/** Blocks are inserted one after the other, so that each knows the ids of earlier ones. */
const MAX_INSERTS = 1;
/** The size on the wire. Kafka's batches are compressed, and several times as large in memory. */
const BATCH_BYTES = 256 * 1024;

interface SinkOptions {
  store: Pick<ClickhouseStore, 'findKeys' | 'insertEvents' | 'insertKeys'>;
  blocks: ClickhouseSinkStore;
  log: Pick<EventLog, 'consume'>;
  logger: Logger;
  metrics: SinkMetrics;
  settings: SinkSettings;
}

/** Creates the consumer that inserts the topic `events` into ClickHouse, each event once. */
export function createClickhouseSink({
  store,
  blocks,
  log,
  logger,
  metrics,
  settings,
}: SinkOptions): BackgroundConsumer {
  const inserting = createFairQueue(MAX_INSERTS);
  return createPartitionWorkers({
    log,
    group: CLICKHOUSE_GROUP,
    topic: ingestionTopics.events,
    maxBatchBytes: BATCH_BYTES,
    minFetchBytes: BATCH_BYTES,
    open: (partition) =>
      createSinkPartition({
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
