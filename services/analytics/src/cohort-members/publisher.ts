import { COHORT_MEMBERS_TOPIC, cohortListKey } from '@switchboard/contracts';
import {
  compactedTopic,
  createRelay,
  type PublisherOptions,
  type Relay,
  toPartitionZero,
} from '@switchboard/outbox';
import { type ChangedPart, cohortMembersRepublication, createCohortMembersStore } from './store.ts';

/** The number of records read and sent together. Each is a few hundred kilobytes at most. */
const BATCH_SIZE = 10;

/** Publishes the computed lists of cohorts to the topic `cohort-members`. */
export function createCohortMembersPublisher({ replication, ...options }: PublisherOptions): Relay {
  return createRelay<ChangedPart>({
    ...options,
    topic: compactedTopic(COHORT_MEMBERS_TOPIC, replication),
    source: createCohortMembersStore,
    republication: cohortMembersRepublication,
    recordOf: ({ projectId, cohortId, prefix, value }) =>
      toPartitionZero(cohortListKey(projectId, cohortId, prefix), value === null ? null : Buffer.from(value)),
    batchSize: BATCH_SIZE,
  });
}
