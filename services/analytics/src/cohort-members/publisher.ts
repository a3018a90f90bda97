import { COHORT_MEMBERS_TOPIC, cohortListKey } from '@switchboard/contracts';
import type { Database } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import { type BackgroundPublisher, createPublisher, type Logger } from '@switchboard/runtime';
import { type ChangedPart, createCohortMembersStore } from './store.ts';

interface PublisherOptions {
  database: Pick<Database, 'drizzle'>;
  log: EventLog;
  /** The replication factor of the topic. */
  replication: number;
  logger: Logger;
}

/** The number of records read and sent together. Each is a few hundred kilobytes at most. */
const BATCH_SIZE = 10;

/** Publishes the computed lists of cohorts to the topic `cohort-members`. */
export function createCohortMembersPublisher(options: PublisherOptions): BackgroundPublisher {
  return createPublisher<ChangedPart>({
    ...options,
    topic: COHORT_MEMBERS_TOPIC,
    unpublished: createCohortMembersStore,
    recordOf: ({ projectId, cohortId, prefix, value }) => ({
      key: cohortListKey(projectId, cohortId, prefix),
      value: value === null ? null : Buffer.from(value),
    }),
    batchSize: BATCH_SIZE,
  });
}
