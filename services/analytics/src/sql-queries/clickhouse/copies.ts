import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import type { Requests } from '../../engine/clickhouse-requests.ts';
import type { RowPages } from '../store.ts';

/** The tables with copies of people and groups for one query each. */
type Table = 'sql_people' | 'sql_groups';

/** Copies the people and groups that queries read from PostgreSQL to ClickHouse. */
export interface Copies {
  /** Inserts pages of JSON objects. Throws what requests and pages throw. */
  insert(table: Table, run: string, pages: RowPages, signal: AbortSignal): Promise<void>;
  drop(table: Table, run: string): Promise<void>;
}

const ROWS_AT_ONCE = 100_000;

export function createCopies(client: ClickHouseClient, requests: Requests): Copies {
  return {
    async insert(table, run, pages, signal) {
      async function* lines() {
        const start = `{"run":${JSON.stringify(run)},`;
        for await (const page of pages) yield page.map((row) => `${start}${row.slice(1)}\n`).join('');
      }
      const insertion = {
        query: `insert into ${table} format JSONEachRow`,
        clickhouse_settings: {
          async_insert: 0,
          date_time_input_format: 'best_effort',
          input_format_json_read_objects_as_strings: 1,
          max_insert_block_size: String(ROWS_AT_ONCE),
          min_insert_block_size_rows: String(ROWS_AT_ONCE),
        },
      } as const;
      // Sent like a query, because ClickHouse's own messages quote rows.
      await requests.send(insertion, signal, async (request) => {
        const values = Readable.from(lines(), { objectMode: false });
        const { stream } = await client.exec({ ...request, values });
        await finished(stream.resume(), { signal });
      });
    },
    async drop(table, run) {
      // Not bound, because a partition is part of the statement.
      await client.command({ query: `alter table ${table} drop partition '${run}'` });
    },
  };
}
