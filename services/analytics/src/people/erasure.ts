import type { Eraser } from '@switchboard/directory';
import { type ClickhousePeopleStore, PEOPLE } from '../clickhouse/people-store.ts';
import type { ClickhouseStore } from '../clickhouse/store.ts';
import type { PeopleStore } from './store.ts';

/** Where analytics has ClickHouse. */
interface InClickhouse {
  events: Pick<ClickhouseStore, 'erase'>;
  people: Pick<ClickhousePeopleStore, 'remove'>;
}

/** Erases the traits of a person, their places in cohorts and, where events are in ClickHouse, what it has of them. */
export function createErasure(
  store: Pick<PeopleStore, 'erase'>,
  clickHouse: InClickhouse | undefined,
): Eraser {
  return {
    async erasePerson({ projectId, distinctIds }, signal) {
      // First, since a copy is removed again where its row is gone.
      await store.erase(projectId, distinctIds);
      const keys = distinctIds.map((distinctId) => [projectId, distinctId]);
      await clickHouse?.people.remove(PEOPLE, keys, { signal });
      await clickHouse?.events.erase(projectId, distinctIds, signal);
    },
  };
}
