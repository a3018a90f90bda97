import { randomUUID } from 'node:crypto';
import { type ClickHouseClient, type ClickHouseSettings, SettingsMap } from '@clickhouse/client';
import { createRequests, LANGUAGE } from '../../engine/clickhouse-requests.ts';
import { checkParams, MAX_ROWS, type SqlEngine, type SqlQuery, UnusableSql, type View } from '../query.ts';
import { bounded, type SqlQueriesStore } from '../store.ts';
import { createCopies } from './copies.ts';
import { faultOf } from './faults.ts';
import { readTable } from './read.ts';
import { createReadStatement } from './statement.ts';
import { filtersOf, type ViewParameters } from './views.ts';

interface ClickHouseSqlOptions {
  client: ClickHouseClient;
  rows: SqlQueriesStore;
  memoryBytes: number;
  /** The maximum bytes of intermediate results on ClickHouse's disk. */
  spillBytes: number;
  timeoutMs: number;
}

const MAX_QUERY_PARTS = 100_000;
/** A query can be stopped between blocks. */
const MAX_BLOCK_ROWS = 8_192;
const MAX_RANGE = 1_000_000;

/** Runs queries on the tables in ClickHouse. */
export function createClickHouseSql({
  client,
  rows,
  memoryBytes,
  spillBytes,
  timeoutMs,
}: ClickHouseSqlOptions): SqlEngine {
  // Without waiting, queries that the server does not stop at once would run beside the next ones.
  const requests = createRequests(client, { waits: true });
  const copies = createCopies(client, requests);
  const readStatement = createReadStatement();
  const half = String(Math.floor(memoryBytes / 2));
  const settings: ClickHouseSettings = {
    ...LANGUAGE,
    max_execution_time: Math.ceil(timeoutMs / 1000),
    max_memory_usage: String(memoryBytes),
    max_threads: 1,
    max_block_size: String(MAX_BLOCK_ROWS),
    max_bytes_before_external_group_by: half,
    max_bytes_before_external_sort: half,
    max_bytes_in_join: half,
    max_temporary_data_on_disk_size_for_query: String(spillBytes),
    function_range_max_elements_in_block: String(MAX_RANGE),
    max_ast_elements: String(MAX_QUERY_PARTS),
    max_expanded_ast_elements: String(MAX_QUERY_PARTS),
    session_timezone: 'UTC',
    date_time_output_format: 'iso',
    output_format_json_escape_forward_slashes: 0,
    output_format_json_validate_utf8: 1,
    http_write_exception_in_output_format: 0,
    cancel_http_readonly_queries_on_client_close: 1,
  };

  /** Runs a request. A fault of the query becomes UnusableSql. */
  const send: typeof requests.send = async (request, signal, run) => {
    const sent = await requests.send(request, signal, async (one) => {
      try {
        return { value: await run(one) };
      } catch (error) {
        const fault = faultOf(error);
        if (fault === undefined) throw error;
        return { fault };
      }
    });
    if ('fault' in sent) throw new UnusableSql(sent.fault);
    return sent.value;
  };

  const textOf = (expression: string, value: string, signal: AbortSignal): Promise<string> =>
    send(
      { query: `select ${expression} as text`, query_params: { value }, clickhouse_settings: settings },
      signal,
      async (request) => {
        const result = await client.query({ ...request, format: 'JSONEachRow' });
        const [row] = await result.json<{ text: string }>();
        return row?.text ?? '';
      },
    );

  async function copy(views: ReadonlySet<View>, projectId: string, run: string, signal: AbortSignal) {
    if (views.has('people'))
      await copies.insert('sql_people', run, bounded(rows.people(projectId), signal), signal);
    if (views.has('groups'))
      await copies.insert('sql_groups', run, bounded(rows.groups(projectId), signal), signal);
  }

  async function drop(views: ReadonlySet<View>, run: string): Promise<void> {
    if (views.has('people')) await copies.drop('sql_people', run);
    if (views.has('groups')) await copies.drop('sql_groups', run);
  }

  const run = (statement: string, params: SqlQuery['params'], ofViews: ViewParameters, signal: AbortSignal) =>
    send(
      {
        // In read-only mode, the statement cannot change settings either.
        query: `select * from (${statement}) limit ${MAX_ROWS + 1}
          settings readonly = 1, join_algorithm = 'grace_hash,hash'`,
        query_params: { ...params, ...ofViews },
        clickhouse_settings: { ...settings, additional_table_filters: SettingsMap.from(filtersOf(ofViews)) },
      },
      signal,
      async (request) => {
        const result = await client.query({ ...request, format: 'JSONCompactEachRowWithNamesAndTypes' });
        return readTable(result.stream());
      },
    );

  return {
    dialect: 'clickhouse',
    async compute({ projectId, personIds }, { query, params }, { from, to }, signal) {
      const { statement, views, parameters } = await readStatement(
        (expression, value) => textOf(expression, value, signal),
        query,
        personIds !== undefined,
      );
      checkParams(parameters, params, (name) => `{${name}:...}`);
      const ofViews = { PROJECT: projectId, RUN: randomUUID(), FROM: from, TO: to };
      try {
        await copy(views, projectId, ofViews.RUN, signal);
        return await run(statement, params, ofViews, signal);
      } finally {
        await drop(views, ofViews.RUN).catch(() => undefined);
      }
    },
  };
}
