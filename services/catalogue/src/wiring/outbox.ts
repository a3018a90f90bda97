import { DIRECTORY_TOMBSTONE_RETENTION_MS, DIRECTORY_TOPIC } from '@switchboard/directory';
import type { Catalogue } from '../config.ts';
import { createOutbox, type Outbox } from '../outbox/outbox.ts';
import { createRelay } from '../outbox/relay.ts';
import { createOutboxStore } from '../outbox/store.ts';

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
  run(createRelay({ database, log, topic, logger }));
  const { lagSeconds } = createOutboxStore(db);
  metrics.gaugeBy(
    'switchboard_outbox_lag_seconds',
    'Age of the oldest unpublished directory change.',
    [],
    async () => [{ labels: {}, value: await lagSeconds() }],
  );
  return createOutbox(db);
}
