import type { Db } from '@switchboard/database';
import type { Eraser } from '@switchboard/directory';
import { createPersonIds } from '@switchboard/person-ids';
import { removeProjectState } from '@switchboard/user-state';
import { createAlertStatesStore } from '../alert-states/store.ts';
import { type ClickhousePeopleStore, GROUPS, PEOPLE, PERSON_IDS } from '../clickhouse/people-store.ts';
import type { ClickhouseStore } from '../clickhouse/store.ts';
import { createCohortMembersStore } from '../cohort-members/store.ts';
import { createDictionaryStore } from '../dictionary/store.ts';
import { createGroupMembersStore } from '../group-members/store.ts';
import { createPersonsStore } from '../persons/store.ts';
import { createRejectionsStore } from '../rejections/store.ts';
import { createSeenStore } from '../seen/store.ts';
import { createWatchedPeopleStore } from '../watched-people/store.ts';
import { createWireUsageStore } from '../wire-usage/store.ts';
import { createPeopleStore } from './store.ts';

/** The dependencies for erasing in ClickHouse. */
interface InClickhouse {
  events: Pick<ClickhouseStore, 'erase' | 'eraseProject'>;
  people: Pick<ClickhousePeopleStore, 'remove' | 'removeProject'>;
}

/**
 * Erases the traits of a person and their cohort memberships, a colleague as owner in dictionaries, or all data of a
 * deleted project. Also erases events where these are in ClickHouse.
 */
export function createErasure(db: Db, clickHouse: InClickhouse | undefined): Eraser {
  const store = createPeopleStore(db);
  const persons = createPersonsStore(db);
  const seen = createSeenStore(db);
  const lists = createCohortMembersStore(db);
  const watches = createWatchedPeopleStore(db);
  const dictionary = createDictionaryStore(db);
  const groups = createGroupMembersStore(db);
  return {
    async erasePerson({ projectId, distinctIds }, signal) {
      // First, because a copy is only removed once its row is gone.
      await store.erase(projectId, distinctIds);
      await lists.erase(projectId, distinctIds);
      await persons.erase(projectId, distinctIds);
      await seen.remove(projectId, distinctIds);
      await watches.erase(projectId, distinctIds);
      await groups.count(projectId, distinctIds);
      const keys = distinctIds.map((distinctId) => [projectId, distinctId]);
      for (const table of [PEOPLE, PERSON_IDS]) await clickHouse?.people.remove(table, keys, { signal });
      await clickHouse?.events.erase(projectId, distinctIds, signal);
      return [];
    },

    eraseColleague: (sub) => dictionary.removeOwner(sub),

    async eraseProject(projectId, signal) {
      await createAlertStatesStore(db).removeProject(projectId);
      await dictionary.removeProject(projectId);
      await store.eraseProject(projectId);
      await lists.eraseProject(projectId);
      await watches.eraseProject(projectId, signal);
      await removeProjectState(db, projectId, signal);
      await createPersonIds(db).removeProject(projectId, signal);
      await persons.eraseProject(projectId);
      await seen.removeProject(projectId, signal);
      await createRejectionsStore(db).removeProject(projectId);
      await createWireUsageStore(db).removeProject(projectId);
      await groups.removeProject(projectId, signal);
      if (clickHouse === undefined) return;
      for (const table of [PEOPLE, GROUPS, PERSON_IDS])
        await clickHouse.people.removeProject(table, projectId, signal);
      await clickHouse.events.eraseProject(projectId, signal);
    },
  };
}
