import { createRetention } from '@switchboard/runtime';
import {
  createStateStore,
  createUserStateConsumer,
  unseenPeople,
  unseenPersons,
} from '@switchboard/user-state';
import { createCohortMembersConsumer } from '../cohort-members/consumer.ts';
import { createCohortMembersStore } from '../cohort-members/store.ts';
import { createCohortsPublisher } from '../cohort-records/publisher.ts';
import type { FlagsService } from '../config.ts';
import { createPeoplePublisher } from '../person-records/publisher.ts';
import { expiringUsage } from '../usage/store.ts';

/** The consumer group that applies identify and group calls. */
export const USER_STATE_GROUP = 'flags.user-state';

/**
 * Runs the work of the role `user-state`: applies identify and group calls, publishes cohorts and the ids of persons,
 * applies the computed lists of cohorts, removes old people and usage.
 */
export function runUserState(service: FlagsService): void {
  const { config, database, run } = service;
  const cohortMembers = createCohortMembersStore(database.drizzle);
  run(
    createUserStateConsumer({
      ...service,
      group: USER_STATE_GROUP,
      store: createStateStore(database, { joinsIds: true }),
    }),
    createCohortsPublisher(service),
    createPeoplePublisher(service),
    createCohortMembersConsumer({ ...service, store: cohortMembers }),
    createRetention({
      ...service,
      data: [
        unseenPersons(database, config.PEOPLE_RETENTION_DAYS),
        ...unseenPeople(database, config.PEOPLE_RETENTION_DAYS, { joinsIds: true }),
        ...expiringUsage(database),
      ],
    }),
  );
}
