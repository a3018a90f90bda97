import { ALERTS_TOPIC } from '@switchboard/contracts';
import {
  createRelay,
  jsonRecord,
  occurrencesTopic,
  type PublisherOptions,
  type Relay,
} from '@switchboard/outbox';
import { alertsOutbox } from '../alert-states/store.ts';

const BATCH_SIZE = 100;

/** Publishes to the topic `alerts` when incidents begin and end: at least once, with the id of the incident. */
export function createAlertsPublisher({ replication, ...options }: PublisherOptions): Relay {
  return createRelay({
    ...options,
    topic: occurrencesTopic(ALERTS_TOPIC, replication),
    source: alertsOutbox,
    recordOf: ({ record }, partitions) =>
      jsonRecord(`${record.projectId}/${record.alertId}`, record, partitions),
    batchSize: BATCH_SIZE,
  });
}
