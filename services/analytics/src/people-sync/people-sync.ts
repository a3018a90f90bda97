import { randomUUID } from 'node:crypto';
import type { ClickhousePeopleStore, CopiedRow, CopiedTable, Key } from '../clickhouse/people-store.ts';
import { keyOf, type PeopleSyncStore, versionOf } from './store.ts';

/**
 * Copies people and groups from PostgreSQL, where calls about them are merged, to ClickHouse. The version of a copy
 * is the start time of the transaction that read it, so that a late copy never replaces a newer one.
 */
export interface PeopleSync {
  /** Copies the existing rows with these keys. Rows with the same token are inserted once. */
  copy(table: CopiedTable, token: string, keys: readonly Key[], signal: AbortSignal): Promise<void>;
  /** Returns the keys of these ids in `people`, with those of their persons now and in ClickHouse. */
  withPersons(ids: readonly Key[], signal: AbortSignal): Promise<Key[]>;
  /** Copies up to `limit` rows after a key, in key order. Returns the number of rows and the last key. */
  copyAfter(page: Page): Promise<{ rows: number; last: Key | undefined }>;
  /**
   * Removes copies of rows that no longer exist, checking up to `limit` rows. Returns the number of rows checked and
   * the last key.
   */
  pruneAfter(page: Page): Promise<{ rows: number; last: Key | undefined }>;
}

interface Page {
  table: CopiedTable;
  after: Key | undefined;
  limit: number;
  signal: AbortSignal;
}

interface PeopleSyncOptions {
  store: Pick<PeopleSyncStore, 'rows' | 'rowsAfter' | 'missing' | 'personsOf'>;
  clickHouse: Pick<ClickhousePeopleStore, 'insert' | 'keysAfter' | 'remove' | 'personsOf'>;
}

/** The number of rows read at once. For the largest people these are a dozen megabytes. */
const ROWS_AT_ONCE = 100;
/** The size past which the remaining rows go into the next insert. */
const BLOCK_BYTES = 2_000_000;

interface Blocks {
  table: CopiedTable;
  token: string;
  /** The number of keys. */
  total: number;
  read(start: number, end: number): Promise<CopiedRow[]>;
  signal: AbortSignal;
}

export function createPeopleSync({ store, clickHouse }: PeopleSyncOptions): PeopleSync {
  /** Removes copies of those keys that have no row: a person may be erased while being copied. */
  async function prune(table: CopiedTable, keys: readonly Key[], signal: AbortSignal) {
    const missing = await store.missing(table, keys);
    const [first] = missing;
    if (first === undefined) return;
    const gone = missing.map((row) => keyOf(table, row));
    // A person who has come back since has a newer copy.
    await clickHouse.remove(table, gone, { version: versionOf(first), signal });
  }

  /**
   * Inserts rows in blocks. A block is named after its keys, because the number of rows per insert depends on their
   * size.
   */
  async function insertBlocks({ table, token, total, read, signal }: Blocks) {
    let rows: CopiedRow[] = [];
    let first = 0;
    for (let start = 0; start < total; start += ROWS_AT_ONCE) {
      const end = Math.min(start + ROWS_AT_ONCE, total);
      rows.push(...(await read(start, end)));
      if (end < total && sizeOf(rows) < BLOCK_BYTES) continue;
      await clickHouse.insert(table, `${token}/${first}-${end}`, rows, signal);
      rows = [];
      first = end;
    }
  }

  return {
    async copy(table, token, keys, signal) {
      const read = (start: number, end: number) => store.rows(table, keys.slice(start, end));
      await insertBlocks({ table, token, total: keys.length, read, signal });
      await prune(table, keys, signal);
    },

    async withPersons(ids, signal) {
      if (ids.length === 0) return [];
      const persons = [...(await store.personsOf(ids)), ...(await clickHouse.personsOf(ids, signal))];
      return [...new Map([...ids, ...persons].map((key) => [JSON.stringify(key), key])).values()];
    },

    async copyAfter({ table, after, limit, signal }) {
      const keys: Key[] = [];
      async function read(start: number, end: number) {
        if (keys.length < start) return [];
        const rows = await store.rowsAfter(table, keys.at(-1) ?? after, end - start);
        keys.push(...rows.map((row) => keyOf(table, row)));
        return rows;
      }
      await insertBlocks({ table, token: randomUUID(), total: limit, read, signal });
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

function sizeOf(rows: readonly CopiedRow[]): number {
  return rows.flatMap((row) => Object.values(row)).reduce((sum, value) => sum + value.length, 0);
}
