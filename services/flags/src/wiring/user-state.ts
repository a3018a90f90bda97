import { createBackfills, createRetention } from '@switchboard/runtime';
import {
  createStateStore,
  createUserStateConsumer,
  SEEN_BACKFILLS,
  unseenPeople,
} from '@switchboard/user-state';
import { createCohortMembersConsumer } from '../cohort-members/consumer.ts';
import { createCohortMembersStore } from '../cohort-members/store.ts';
import { createCohortsPublisher } from '../cohort-records/publisher.ts';
import type { FlagsService } from '../config.ts';

/** The consumer group that applies identify and group calls. */
export const USER_STATE_GROUP = 'flags.user-state';

/**
 * Runs the work of the role `user-state`: applies identify and group calls, publishes cohorts, applies their computed lists,
 * removes old people.
 */
export function runUserState(service: FlagsService): void {
  const { config, database, run } = service;
  const cohortMembers = createCohortMembersStore(database.drizzle);
  run(
    createUserStateConsumer({ ...service, group: USER_STATE_GROUP, store: createStateStore(database) }),
    createCohortsPublisher(service),
    createCohortMembersConsumer({ ...service, store: cohortMembers }),
    createRetention({ ...service, data: unseenPeople(database, config.PEOPLE_RETENTION_DAYS) }),
    createBackfills({ ...service, backfills: SEEN_BACKFILLS }),
  );
}
