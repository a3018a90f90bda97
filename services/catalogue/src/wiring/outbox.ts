import { DIRECTORY_TOMBSTONE_RETENTION_MS, DIRECTORY_TOPIC, outgoingRecord } from '@switchboard/directory';
import { createRelay } from '@switchboard/outbox';
import type { Catalogue } from '../config.ts';
import { createOutbox, type Outbox } from '../outbox/outbox.ts';
import { enqueueAllEntries } from '../outbox/republication.ts';
import { createOutboxSource, createOutboxStore, OUTBOX_CHANNEL, offsets } from '../outbox/store.ts';

const BATCH_SIZE = 500;

/** Opens the outbox, and publishes it to the topic `directory`. */
export function openOutbox({
  config,
  database,
  db,
  log,
  logger,
  metrics,
  replication,
  run,
}: Catalogue): Outbox {
  const topic = {
    name: DIRECTORY_TOPIC,
    partitions: config.TOPIC_PARTITIONS,
    anyPartitions: true,
    replication,
    cleanup: 'compact' as const,
    tombstoneRetentionMs: DIRECTORY_TOMBSTONE_RETENTION_MS,
  };
  run(
    createRelay({
      db,
      log,
      topic,
      source: createOutboxSource,
      republication: { offsets, publishAll: enqueueAllEntries },
      recordOf: (row, partitions) => outgoingRecord(row, row.id, partitions),
      batchSize: BATCH_SIZE,
      listen: (wake) => database.listen(OUTBOX_CHANNEL, wake, wake),
      logger,
    }),
  );
  const { lagSeconds } = createOutboxStore(db);
  metrics.gaugeBy(
    'switchboard_outbox_lag_seconds',
    'Age of the oldest unpublished directory change.',
    [],
    async () => [{ labels: {}, value: await lagSeconds() }],
  );
  return createOutbox(db);
}
