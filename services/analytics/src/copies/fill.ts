import type { Backfill } from '@switchboard/service-kit';
import { type ClickhousePeopleStore, type CopiedTable, GROUPS, PEOPLE } from '../clickhouse/people-store.ts';
import { createPeopleCopies, type PeopleCopies } from './copies.ts';
import { type CopiesStore, createCopiesStore } from './store.ts';

/** Of a batch: PostgreSQL ends its transaction after half a minute without a statement. */
const TIMEOUT_MS = 20_000;

interface Fill {
  table: CopiedTable;
  /** The names of its backfills. */
  copying: string;
  pruning: string;
}

/** They have the table's id, so that a new ClickHouse is filled by itself. */
async function fillsOf(clickHouse: Pick<ClickhousePeopleStore, 'tableId'>): Promise<Fill[]> {
  return Promise.all(
    [PEOPLE, GROUPS].map(async (table) => {
      const place = `${table.name} in ClickHouse ${await clickHouse.tableId(table)}`;
      return { table, copying: place, pruning: `removed ${place}` };
    }),
  );
}

/** Copies everybody to ClickHouse, and then removes copies of those whom there no longer is. */
export async function peopleFills(clickHouse: ClickhousePeopleStore): Promise<Backfill[]> {
  const fills = await fillsOf(clickHouse);
  const backfill = (name: string, table: CopiedTable, step: 'copyAfter' | 'pruneAfter'): Backfill => ({
    name,
    batch(tx, after, limit) {
      const copies: PeopleCopies = createPeopleCopies({ store: createCopiesStore(tx), clickHouse });
      return copies[step]({ table, after, limit, signal: AbortSignal.timeout(TIMEOUT_MS) });
    },
  });
  return [
    ...fills.map(({ copying, table }) => backfill(copying, table, 'copyAfter')),
    ...fills.map(({ pruning, table }) => backfill(pruning, table, 'pruneAfter')),
  ];
}

/** Returns what says whether everybody has been copied to ClickHouse as it is now: it may be replaced meanwhile. */
export function createFillState(
  clickHouse: Pick<ClickhousePeopleStore, 'tableId'>,
  store: Pick<CopiesStore, 'areDone'>,
): () => Promise<boolean> {
  let filled = '';
  return async () => {
    const names = (await fillsOf(clickHouse)).map(({ copying }) => copying);
    const all = names.join();
    if (all !== filled && (await store.areDone(names))) filled = all;
    return all === filled;
  };
}
