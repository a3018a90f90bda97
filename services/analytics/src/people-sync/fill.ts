import type { Backfill } from '@switchboard/database';
import {
  type ClickhousePeopleStore,
  type CopiedTable,
  GROUPS,
  PEOPLE,
  PERSON_IDS,
} from '../clickhouse/people-store.ts';
import { createPeopleSync } from './people-sync.ts';
import { createPeopleSyncStore, type PeopleSyncStore } from './store.ts';

/** Time limit of a batch: PostgreSQL ends its transaction after half a minute without a statement. */
const TIMEOUT_MS = 20_000;

/** The ids of the tables in ClickHouse, by name. */
type TableIds = Record<'people' | 'groups', string>;

/**
 * Returns the name of a backfill. It contains the id of the table, so that a new ClickHouse is filled automatically.
 */
const copyingOf = (name: CopiedTable['name'], id: string) => `${name} in ClickHouse ${id}`;

/** Returns the backfills that copy all people to ClickHouse, and then remove copies of those who no longer exist. */
export async function peopleFills(clickHouse: ClickhousePeopleStore): Promise<Backfill[]> {
  const fills = await Promise.all(
    [PEOPLE, GROUPS, PERSON_IDS].map(async (table) => ({
      table,
      copying: copyingOf(table.name, await clickHouse.tableId(table)),
    })),
  );
  const backfill = (name: string, table: CopiedTable, step: 'copyAfter' | 'pruneAfter'): Backfill => ({
    name,
    batch(tx, after, limit) {
      const peopleSync = createPeopleSync({ store: createPeopleSyncStore(tx), clickHouse });
      return peopleSync[step]({ table, after, limit, signal: AbortSignal.timeout(TIMEOUT_MS) });
    },
  });
  return [
    ...fills.map(({ copying, table }) => backfill(copying, table, 'copyAfter')),
    ...fills.map(({ copying, table }) => backfill(`removed ${copying}`, table, 'pruneAfter')),
  ];
}

/** Returns a function that tells whether all people have been copied to these tables. */
export function createFillState(
  store: Pick<PeopleSyncStore, 'areDone'>,
): (ids: TableIds) => Promise<boolean> {
  let filled = '';
  return async ({ people, groups }) => {
    const names = [copyingOf('people', people), copyingOf('groups', groups)];
    const all = names.join();
    if (all !== filled && (await store.areDone(names))) filled = all;
    return all === filled;
  };
}
