import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { insertRows, known, removeRowsOf } from './requests.ts';

/** A table of copies. Its primary key is the same as in PostgreSQL. */
export interface CopiedTable {
  name: 'people' | 'groups' | 'person_ids';
  key: readonly string[];
  /** Further columns, as text. */
  values: readonly string[];
}

export const PEOPLE: CopiedTable = {
  name: 'people',
  key: ['project_id', 'distinct_id'],
  values: ['traits', 'groups', 'seen_on'],
};
export const GROUPS: CopiedTable = {
  name: 'groups',
  key: ['project_id', 'type', 'id'],
  values: ['traits', 'seen_on'],
};
export const PERSON_IDS: CopiedTable = {
  name: 'person_ids',
  key: ['project_id', 'distinct_id'],
  values: ['person_id'],
};

/** The values of the columns of a primary key. */
export type Key = readonly string[];

/** A row by column name. Among rows with the same key, the one with the greatest `version` counts. */
export type CopiedRow = Record<string, string>;

export interface ClickhousePeopleStore {
  /** Inserts rows. Rows with the same token are inserted once. */
  insert(table: CopiedTable, token: string, rows: readonly CopiedRow[], signal: AbortSignal): Promise<void>;
  /** Returns the next keys in order, after `after`. */
  keysAfter(table: CopiedTable, after: Key | undefined, limit: number, signal: AbortSignal): Promise<Key[]>;
  /** Returns the keys in `people` of the persons of ids, without those of ids that have no copy. */
  personsOf(ids: readonly Key[], signal: AbortSignal): Promise<Key[]>;
  /** Removes rows, also from disk. Idempotent. */
  remove(table: CopiedTable, keys: readonly Key[], bounds: RemovalBounds): Promise<void>;
  /** Removes all rows of a project, also from disk. Idempotent. */
  removeProject(table: CopiedTable, projectId: string, signal: AbortSignal): Promise<void>;
  /** Removes rows that were last seen before a day, and returns how many. They leave the disk in the background. */
  expire(table: CopiedTable, before: Date): Promise<number>;
  /** Returns the day of the row that was last seen the longest ago. */
  oldest(table: CopiedTable): Promise<Date | undefined>;
  /**
   * Returns the id of the table, which differs between servers. Zeros where the server does not assign ids to tables.
   */
  tableId(table: CopiedTable): Promise<string>;
}

interface RemovalBounds {
  /** The newest version to remove. Default: all. */
  version?: string;
  signal: AbortSignal;
}

/** Keys are part of the URL of a request. */
const KEYS_AT_ONCE = 20;
const IDS_AT_ONCE = 200;
const NEWEST = String(2n ** 64n - 1n);

const countRows = z.tuple([z.object({ rows: z.coerce.number() })]);
const oldestRows = z.tuple([z.object({ oldest: z.string(), rows: z.coerce.number() })]);
const idRows = z.tuple([z.object({ id: z.string() })]);
const keyRows = z.array(z.record(z.string(), z.string()));

export function createClickhousePeopleStore(client: ClickHouseClient): ClickhousePeopleStore {
  async function rowsOf(query: string, query_params: Record<string, unknown>, signal?: AbortSignal) {
    const result = await known(
      client.query({
        query,
        query_params,
        format: 'JSONEachRow',
        ...(signal === undefined ? {} : { abort_signal: signal }),
      }),
    );
    return result.json();
  }

  return {
    async insert({ name }, token, values, signal) {
      if (values.length > 0) await insertRows(client, { table: name, token, values, signal });
    },

    async keysAfter({ name, key }, after, limit, signal) {
      const { tuple, params } = bound('after', after ?? []);
      const columns = key.join(', ');
      const follows = after === undefined ? '' : `where (${columns}) > ${tuple}`;
      const rows = await rowsOf(
        `select distinct ${columns} from ${name} ${follows} order by ${columns} limit {limit: UInt32}`,
        { ...params, limit },
        signal,
      );
      return keyRows.parse(rows).map((row) => key.map((column) => row[column] ?? ''));
    },

    async personsOf(ids, signal) {
      const found: Key[] = [];
      for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
        const some = ids.slice(start, start + IDS_AT_ONCE);
        const rows = await rowsOf(
          `select distinct project_id, person_id from person_ids final where (project_id, distinct_id) in (
            select arrayJoin(arrayZip({projects: Array(String)}, {ids: Array(String)})) as key)`,
          { projects: some.map(([project]) => project), ids: some.map(([, id]) => id) },
          signal,
        );
        for (const row of keyRows.parse(rows)) found.push([row['project_id'] ?? '', row['person_id'] ?? '']);
      }
      return found;
    },

    async remove({ name, key }, keys, { version = NEWEST, signal }) {
      for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
        const named = keys.slice(start, start + KEYS_AT_ONCE).map((one, index) => bound(`k${index}_`, one));
        await known(
          client.command({
            query: `delete from ${name} where (${key.join(', ')}) in (${named.map(({ tuple }) => tuple).join(', ')})
              and version <= {version: UInt64}`,
            query_params: Object.assign({ version }, ...named.map(({ params }) => params)),
            abort_signal: signal,
            clickhouse_settings: { lightweight_deletes_sync: '2' },
          }),
        );
      }
      if (keys.length === 0) return;
      // A deleted row is only hidden until its part is merged.
      await known(
        client.command({
          query: `alter table ${name} apply deleted mask`,
          abort_signal: signal,
          clickhouse_settings: { mutations_sync: '2' },
        }),
      );
    },

    removeProject: ({ name }, projectId, signal) => removeRowsOf(client, { table: name, projectId, signal }),

    async expire({ name }, before) {
      const query_params = { before: before.toISOString().slice(0, 10) };
      const [{ rows }] = countRows.parse(
        await rowsOf(`select count() as rows from ${name} where seen_on < {before: Date}`, query_params),
      );
      if (rows === 0) return 0;
      await known(
        client.command({
          query: `delete from ${name} where seen_on < {before: Date}`,
          query_params,
          clickhouse_settings: { lightweight_deletes_sync: '2' },
        }),
      );
      await known(client.command({ query: `alter table ${name} apply deleted mask` }));
      return rows;
    },

    async oldest({ name }) {
      const [{ oldest, rows }] = oldestRows.parse(
        await rowsOf(`select toString(min(seen_on)) as oldest, count() as rows from ${name}`, {}),
      );
      return rows === 0 ? undefined : new Date(oldest);
    },

    async tableId({ name }) {
      const query = `select toString(uuid) as id from system.tables
        where database = currentDatabase() and name = {name: String}`;
      const [{ id }] = idRows.parse(await rowsOf(query, { name }));
      return id;
    },
  };
}

/** Returns a key as a tuple of bound values. */
function bound(prefix: string, key: Key) {
  return {
    tuple: `(${key.map((_, index) => `{${prefix}${index}: String}`).join(', ')})`,
    params: Object.fromEntries(key.map((value, index) => [`${prefix}${index}`, value])),
  };
}
