import { ingestionTopics, PEOPLE_TOPIC } from '@switchboard/contracts';
import type { ExpiringData } from '@switchboard/database';
import { openErasures } from '@switchboard/directory';
import { createPersonIdsConsumer } from '@switchboard/person-ids';
import {
  createStateStore,
  createUserStateConsumer,
  USER_STATE_TOPICS,
  unseenPeople,
} from '@switchboard/user-state';
import { CLICKHOUSE_GROUP } from '../clickhouse-sink/consumer.ts';
import { createCohortMembersPublisher } from '../cohort-members/publisher.ts';
import { createCohortMembersStore } from '../cohort-members/store.ts';
import type { Analytics } from '../config.ts';
import { createGroupCounter } from '../group-members/counter.ts';
import { createGroupMembersStore, emptyGroups } from '../group-members/store.ts';
import { createCohortsConsumer } from '../people/cohorts-consumer.ts';
import { createErasure } from '../people/erasure.ts';
import { createPeopleStore } from '../people/store.ts';
import { CLICKHOUSE_PEOPLE_GROUP, CLICKHOUSE_PEOPLE_TOPICS } from '../people-sync/consumer.ts';
import { saveChanges } from '../persons/store.ts';
import { createRejectionsConsumer } from '../rejections/consumer.ts';
import { createRejectionsStore, oldRejections } from '../rejections/store.ts';
import { createSeenConsumer, SEEN_GROUP, SEEN_TOPICS } from '../seen/seen-consumer.ts';
import { createSeenStore, unseenIds } from '../seen/store.ts';
import { createWatchedCohortsConsumer } from '../watched-cohorts/consumer.ts';
import { createCohortChangesPublisher } from '../watched-cohorts/publisher.ts';
import { createWatchedPeopleStore } from '../watched-people/store.ts';
import { createWireUsageConsumer } from '../wire-usage/consumer.ts';
import { createWireUsageStore, oldWireUsage } from '../wire-usage/store.ts';
import type { ClickHouseStores } from './clickhouse.ts';

/** The consumer group that applies identify and group calls. */
const PEOPLE_GROUP = 'analytics.people';
const PERSON_IDS_GROUP = 'analytics.person-ids';

/**
 * Erases people when the directory requests it. Its replica contains names of colleagues. Copies of files follow the
 * archive's.
 */
export function runErasures(service: Analytics, clickHouse: ClickHouseStores | undefined): void {
  const inClickHouse = [
    { group: CLICKHOUSE_GROUP, topics: [ingestionTopics.events] },
    { group: CLICKHOUSE_PEOPLE_GROUP, topics: CLICKHOUSE_PEOPLE_TOPICS },
  ];
  service.run(
    openErasures({
      ...service,
      intakes: [
        { group: PEOPLE_GROUP, topics: USER_STATE_TOPICS },
        { group: SEEN_GROUP, topics: SEEN_TOPICS },
        { group: PERSON_IDS_GROUP, topics: [PEOPLE_TOPIC] },
        ...(clickHouse === undefined ? [] : inClickHouse),
      ],
      eraser: (db) => createErasure(db, clickHouse),
    }),
  );
}

/**
 * Runs the work of the role `people`: applies identify and group calls, and changes of cohorts and persons, keeps
 * when each id and group was seen, and counts the members of groups and rejected requests.
 */
export function runPeople(service: Analytics, expiring: ExpiringData[]): void {
  const { config, database, db, run } = service;
  const store = createStateStore(database);
  const watches = createWatchedPeopleStore(db);
  // Flags applies the same calls and stores those that cannot be applied.
  const onRejected = () => undefined;
  run(
    createUserStateConsumer({ ...service, group: PEOPLE_GROUP, store, onRejected }),
    createCohortsConsumer({
      ...service,
      store: createPeopleStore(db),
      lists: createCohortMembersStore(db),
      watches,
    }),
    createCohortMembersPublisher(service),
    createWatchedCohortsConsumer({ ...service, store: watches, replication: config.TOPIC_REPLICATION }),
    createCohortChangesPublisher(service),
    createPersonIdsConsumer({ ...service, group: PERSON_IDS_GROUP, applied: saveChanges }),
    createGroupCounter({ ...service, store: createGroupMembersStore(db) }),
    createSeenConsumer({ ...service, store: createSeenStore(db) }),
    createRejectionsConsumer({
      ...service,
      store: createRejectionsStore(db),
      replication: config.TOPIC_REPLICATION,
    }),
    createWireUsageConsumer({
      ...service,
      store: createWireUsageStore(db),
      replication: config.TOPIC_REPLICATION,
    }),
  );
  expiring.push(
    ...unseenPeople(database, config.PEOPLE_RETENTION_DAYS),
    unseenIds(db, config.PEOPLE_RETENTION_DAYS),
    emptyGroups(db, config.PEOPLE_RETENTION_DAYS),
    oldRejections(db),
    oldWireUsage(db),
  );
}
