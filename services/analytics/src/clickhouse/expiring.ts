import type { ExpiringData } from '@switchboard/database';
import { type ClickhousePeopleStore, GROUPS, PEOPLE } from './people-store.ts';
import type { ClickhouseStore } from './store.ts';

/** Expires events of UTC days that ended `days` ago, like the archive. */
export function expiringEvents(
  store: Pick<ClickhouseStore, 'expire' | 'oldest'>,
  days: number | undefined,
): ExpiringData[] {
  return [
    {
      kind: 'events in ClickHouse',
      days,
      async removeBefore(time) {
        return { rows: await store.expire(new Date(time.toISOString().slice(0, 10))) };
      },
      oldest: () => store.oldest(),
    },
  ];
}

/** Expires people and groups that no call has named for `days`, as in PostgreSQL. */
export function expiringPeople(
  store: Pick<ClickhousePeopleStore, 'expire' | 'oldest'>,
  days: number | undefined,
): ExpiringData[] {
  return [PEOPLE, GROUPS].map((table) => ({
    kind: `${table.name} in ClickHouse`,
    days,
    async removeBefore(time) {
      return { rows: await store.expire(table, time) };
    },
    oldest: () => store.oldest(table),
  }));
}
