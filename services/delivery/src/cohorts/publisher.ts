import { WATCHED_COHORTS_TOPIC, type WatchedCohorts } from '@switchboard/contracts';
import {
  compactedTopic,
  createRelay,
  type PublisherOptions,
  type Relay,
  toPartitionZero,
} from '@switchboard/outbox';
import { watchesOutbox, watchesRepublication } from './store.ts';

const BATCH_SIZE = 100;

/** Publishes which cohorts the webhooks of each project watch to the topic `watched-cohorts`. */
export function createWatchesPublisher({ replication, ...options }: PublisherOptions): Relay {
  return createRelay({
    ...options,
    topic: compactedTopic(WATCHED_COHORTS_TOPIC, replication),
    source: watchesOutbox,
    republication: watchesRepublication,
    recordOf: ({ projectId, cohortIds }) =>
      toPartitionZero(
        projectId,
        cohortIds.length === 0
          ? null
          : Buffer.from(JSON.stringify({ projectId, cohortIds } satisfies WatchedCohorts)),
      ),
    batchSize: BATCH_SIZE,
  });
}
