import { COHORT_CHANGES_TOPIC } from '@switchboard/contracts';
import {
  createRelay,
  jsonRecord,
  occurrencesTopic,
  type PublisherOptions,
  type Relay,
} from '@switchboard/outbox';
import { cohortChangesOutbox } from '../watched-people/store.ts';

/** The number of records read and sent together, each of up to 500 people. */
const BATCH_SIZE = 10;

/** Publishes who entered and left watched cohorts to the topic `cohort-changes`: at least once, with the same time. */
export function createCohortChangesPublisher({ replication, ...options }: PublisherOptions): Relay {
  return createRelay({
    ...options,
    topic: occurrencesTopic(COHORT_CHANGES_TOPIC, replication),
    source: cohortChangesOutbox,
    recordOf: ({ record }, partitions) =>
      jsonRecord(`${record.projectId}/${record.cohortId}`, record, partitions),
    batchSize: BATCH_SIZE,
  });
}
