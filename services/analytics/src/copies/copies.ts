import type { ClickhousePeopleStore, CopiedTable, Key } from '../clickhouse/people-store.ts';
import { type CopiesStore, keyOf, versionOf } from './store.ts';

/**
 * Copies people and groups from PostgreSQL, where calls about them are merged, to ClickHouse. The version of a copy is
 * the time at which the transaction that read it began, so that one which arrives late never replaces a newer one.
 */
export interface PeopleCopies {
  /** Copies what there is of these keys. Rows with the same token are inserted once. */
  copy(table: CopiedTable, token: string, keys: readonly Key[], signal: AbortSignal): Promise<void>;
  /** Copies up to so many rows, in the order of their keys, after one. Returns how many, and the key of the last. */
  copyAfter(page: Page): Promise<{ rows: number; last: Key | undefined }>;
  /** Removes copies of what there is no more, of up to so many. Returns how many it looked at, and the last key. */
  pruneAfter(page: Page): Promise<{ rows: number; last: Key | undefined }>;
}

interface Page {
  table: CopiedTable;
  after: Key | undefined;
  limit: number;
  signal: AbortSignal;
}

interface CopiesOptions {
  store: Pick<CopiesStore, 'rows' | 'rowsAfter' | 'missing'>;
  clickHouse: Pick<ClickhousePeopleStore, 'insert' | 'keysAfter' | 'remove'>;
}

export function createPeopleCopies({ store, clickHouse }: CopiesOptions): PeopleCopies {
  /** Removes copies of these keys where there is no row: somebody may be erased while they are copied. */
  async function prune(table: CopiedTable, keys: readonly Key[], signal: AbortSignal) {
    const missing = await store.missing(table, keys);
    const [first] = missing;
    if (first === undefined) return;
    const gone = missing.map((row) => keyOf(table, row));
    // Who has come back since has a newer copy.
    await clickHouse.remove(table, gone, versionOf(first), signal);
  }

  return {
    async copy(table, token, keys, signal) {
      await clickHouse.insert(table, token, await store.rows(table, keys), signal);
      await prune(table, keys, signal);
    },

    async copyAfter({ table, after, limit, signal }) {
      const rows = await store.rowsAfter(table, after, limit);
      const keys = rows.map((row) => keyOf(table, row));
      await clickHouse.insert(table, `after ${after} at ${rows[0] && versionOf(rows[0])}`, rows, signal);
      await prune(table, keys, signal);
      return { rows: keys.length, last: keys.at(-1) };
    },

    async pruneAfter({ table, after, limit, signal }) {
      const keys = await clickHouse.keysAfter(table, after, limit, signal);
      await prune(table, keys, signal);
      return { rows: keys.length, last: keys.at(-1) };
    },
  };
}
