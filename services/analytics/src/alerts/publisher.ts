import { ALERTS_TOPIC } from '@switchboard/contracts';
import { partitionFor } from '@switchboard/event-log';
import { createRelay, type PublisherOptions, type Relay } from '@switchboard/outbox';
import { alertsOutbox } from '../alert-states/store.ts';

const BATCH_SIZE = 100;
const PARTITIONS = 4;
const RETENTION_MS = 7 * 24 * 3_600_000;

/** Publishes to the topic `alerts` when incidents begin and end: at least once, with the id of the incident. */
export function createAlertsPublisher({ replication, ...options }: PublisherOptions): Relay {
  return createRelay({
    ...options,
    topic: {
      name: ALERTS_TOPIC,
      partitions: PARTITIONS,
      replication,
      cleanup: 'delete',
      retentionMs: RETENTION_MS,
    },
    source: alertsOutbox,
    recordOf: ({ record }, partitions) => {
      const key = `${record.projectId}/${record.alertId}`;
      const value = Buffer.from(JSON.stringify(record));
      return { partition: partitionFor(key, partitions), key, value, headers: {} };
    },
    batchSize: BATCH_SIZE,
  });
}
