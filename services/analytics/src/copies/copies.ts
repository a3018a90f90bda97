import { randomUUID } from 'node:crypto';
import type { ClickhousePeopleStore, CopiedRow, CopiedTable, Key } from '../clickhouse/people-store.ts';
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

/** Rows that are read at once: of the largest people, a dozen megabytes. */
const ROWS_AT_ONCE = 100;
/** Of rows that are inserted at once, past which others are inserted after them. */
const BLOCK_BYTES = 2_000_000;

interface Blocks {
  table: CopiedTable;
  token: string;
  /** How many keys there are. */
  total: number;
  read(start: number, end: number): Promise<CopiedRow[]>;
  signal: AbortSignal;
}

export function createPeopleCopies({ store, clickHouse }: CopiesOptions): PeopleCopies {
  /** Removes copies of these keys where there is no row: somebody may be erased while they are copied. */
  async function prune(table: CopiedTable, keys: readonly Key[], signal: AbortSignal) {
    const missing = await store.missing(table, keys);
    const [first] = missing;
    if (first === undefined) return;
    const gone = missing.map((row) => keyOf(table, row));
    // Who has come back since has a newer copy.
    await clickHouse.remove(table, gone, { version: versionOf(first), signal });
  }

  /** Blocks are named after the keys they are of, since how many are inserted at once depends on their rows. */
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
