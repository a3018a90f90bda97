import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { insertRows, known, removeRowsOf } from './requests.ts';

/** A row of the table `events`; times are milliseconds since 1970. */
export interface EventsRow {
  project_id: string;
  event_id: string;
  event_name: string;
  distinct_id: string;
  session_id: string | null;
  schema_version: number;
  occurred_at: number;
  received_at: number;
  sent_at: number | null;
  timestamp: string;
  /** JSON. */
  properties: string | null;
  /** JSON. */
  context: string | null;
  bot: boolean;
  log_partition: number;
  /** Decimal digits. */
  log_offset: string;
  log_line: number;
}

export interface ClickhouseStore {
  /** Returns those of these keys that belong to inserted events. */
  findKeys(keys: readonly string[], signal: AbortSignal): Promise<Set<string>>;
  /** Inserts rows as one block. Rows with the same token are inserted once. */
  insertEvents(token: string, rows: readonly EventsRow[], signal: AbortSignal): Promise<void>;
  insertKeys(token: string, keys: readonly string[], signal: AbortSignal): Promise<void>;
  /** Removes the events of people, also from disk. Idempotent. */
  erase(projectId: string, distinctIds: readonly string[], signal: AbortSignal): Promise<void>;
  /** Removes the events of a project, also from disk, and the version of its results. Idempotent. */
  eraseProject(projectId: string, signal: AbortSignal): Promise<void>;
  /**
   * Removes the events accepted before a time, of the oldest month that has any, and returns how many. A month that
   * ended before that time is dropped. Rows of other months are hidden at once, and leave the disk in the background.
   */
  expire(before: Date): Promise<number>;
  /** Returns when the oldest event was accepted. */
  oldest(): Promise<Date | undefined>;
}

const KEYS_AT_ONCE = 10_000;
/** Ids are part of the URL of a request. */
const IDS_AT_ONCE = 20;
const expiredRows = z.array(z.object({ month: z.number(), rows: z.coerce.number() }));
const oldestRows = z.array(z.object({ oldest: z.coerce.number(), rows: z.coerce.number() }));
const keyRows = z.array(z.object({ event_key: z.string() }));

export function createClickhouseStore(client: ClickHouseClient): ClickhouseStore {
  const insert = (table: string, token: string, values: readonly object[], signal: AbortSignal) =>
    insertRows(client, { table, token, values, signal });

  return {
    async findKeys(keys, signal) {
      const found = new Set<string>();
      for (let start = 0; start < keys.length; start += KEYS_AT_ONCE) {
        const result = await known(
          client.query({
            query: 'select distinct event_key from event_keys where event_key in {keys: Array(UUID)}',
            query_params: { keys: keys.slice(start, start + KEYS_AT_ONCE) },
            format: 'JSONEachRow',
            abort_signal: signal,
          }),
        );
        for (const { event_key } of keyRows.parse(await result.json())) found.add(event_key);
      }
      return found;
    },

    async insertEvents(token, rows, signal) {
      // ClickHouse reads plain numbers as seconds.
      const values = rows.map((row) => ({
        ...row,
        occurred_at: row.occurred_at / 1000,
        received_at: row.received_at / 1000,
        sent_at: row.sent_at === null ? null : row.sent_at / 1000,
      }));
      await insert('events', token, values, signal);
    },

    async insertKeys(token, keys, signal) {
      const rows = keys.map((event_key) => ({ event_key }));
      await insert('event_keys', token, rows, signal);
    },

    async erase(projectId, distinctIds, signal) {
      for (let start = 0; start < distinctIds.length; start += IDS_AT_ONCE) {
        await known(
          client.command({
            query:
              'delete from events where project_id = {project: String} and distinct_id in {people: Array(String)}',
            query_params: { project: projectId, people: distinctIds.slice(start, start + IDS_AT_ONCE) },
            abort_signal: signal,
            clickhouse_settings: { lightweight_deletes_sync: '2' },
          }),
        );
      }
      await known(
        client.command({
          query: 'insert into project_versions select {project: String}, 1, now64(3)',
          query_params: { project: projectId },
          abort_signal: signal,
        }),
      );
      // A deleted row is only hidden until its part is merged.
      await known(
        client.command({
          query: 'alter table events apply deleted mask',
          abort_signal: signal,
          clickhouse_settings: { mutations_sync: '2' },
        }),
      );
    },

    async eraseProject(projectId, signal) {
      for (const table of ['events', 'project_versions'] as const)
        await removeRowsOf(client, { table, projectId, signal });
    },

    async expire(before) {
      const query_params = { before: before.getTime() / 1000 };
      const isExpired = "received_at < toDateTime64({before: Decimal64(3)}, 3, 'UTC')";
      const result = await known(
        client.query({
          query: `select toYYYYMM(received_at) as month, count() as rows from events
            where ${isExpired} group by month order by month limit 1`,
          query_params,
          format: 'JSONEachRow',
        }),
      );
      const [first] = expiredRows.parse(await result.json());
      if (first === undefined) return 0;
      const { month, rows } = first;
      if (month < before.getUTCFullYear() * 100 + before.getUTCMonth() + 1) {
        await known(client.command({ query: `alter table events drop partition ${month}` }));
        return rows;
      }
      await known(
        client.command({
          query: `delete from events in partition ${month} where ${isExpired}`,
          query_params,
          clickhouse_settings: { lightweight_deletes_sync: '2' },
        }),
      );
      await known(client.command({ query: `alter table events apply deleted mask in partition ${month}` }));
      return rows;
    },

    async oldest() {
      const result = await known(
        client.query({
          query: 'select toUnixTimestamp64Milli(min(received_at)) as oldest, count() as rows from events',
          format: 'JSONEachRow',
        }),
      );
      const [row] = oldestRows.parse(await result.json());
      return row === undefined || row.rows === 0 ? undefined : new Date(row.oldest);
    },
  };
}
