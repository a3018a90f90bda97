import { COHORTS_TOPIC, type CohortRecord, cohortKey } from '@switchboard/contracts';
import { MAX_RECORD_BYTES } from '@switchboard/event-log';
import {
  compactedTopic,
  createRelay,
  type PublisherOptions,
  type Relay,
  type RelayLogger,
  toPartitionZero,
} from '@switchboard/outbox';
import { type ChangedCohort, cohortRepublication, createCohortRecordsStore } from './store.ts';

/** The number of records read and sent together. Each can be up to a mebibyte. */
const BATCH_SIZE = 10;
/** The maximum size of a record's value, excluding its key. */
const MAX_VALUE_BYTES = MAX_RECORD_BYTES - 10_000;

/** Publishes each change of a cohort to the topic `cohorts`. */
export function createCohortsPublisher({ replication, ...options }: PublisherOptions): Relay {
  return createRelay({
    ...options,
    topic: compactedTopic(COHORTS_TOPIC, replication),
    source: createCohortRecordsStore,
    republication: cohortRepublication,
    recordOf: (cohort) => recordOf(cohort, options.logger),
    batchSize: BATCH_SIZE,
  });
}

function recordOf({ projectId, id, now }: ChangedCohort, logger: RelayLogger) {
  const value = now && Buffer.from(JSON.stringify({ projectId, id, ...now } satisfies CohortRecord));
  const key = cohortKey(projectId, id);
  if (value === null || value.length <= MAX_VALUE_BYTES) return toPartitionZero(key, value);
  logger.warn(
    { projectId, cohort: id, bytes: value.length },
    'cohort is too large for a record: insights reject queries that name it',
  );
  const rest: CohortRecord = { projectId, id, match: [], distinctIds: null };
  return toPartitionZero(key, Buffer.from(JSON.stringify(rest)));
}
