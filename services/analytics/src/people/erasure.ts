import type { Eraser } from '@switchboard/directory';
import type { ClickhouseStore } from '../clickhouse/store.ts';
import type { PeopleStore } from './store.ts';

/** Erases the traits of a person, their places in cohorts and, where events are in ClickHouse, their events. */
export function createErasure(
  store: Pick<PeopleStore, 'erase'>,
  clickHouse: Pick<ClickhouseStore, 'erase'> | undefined,
): Eraser {
  return {
    async erasePerson({ projectId, distinctIds }, signal) {
      await store.erase(projectId, distinctIds);
      await clickHouse?.erase(projectId, distinctIds, signal);
    },
  };
}
