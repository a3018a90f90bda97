import { randomUUID } from 'node:crypto';
import {
  type ClickHouseClient,
  ClickHouseError,
  type ClickHouseSettings,
  type CommandParams,
} from '@clickhouse/client';
import { Refused } from '../clickhouse/requests.ts';
import { CLICKHOUSE } from './clickhouse-dialect.ts';
import {
  type Engine,
  EngineBusy,
  type Facts,
  QueryTimeout,
  QueryTooLarge,
  type Row,
  type VisitPerson,
} from './engine.ts';
import { visitRows } from './row-binary.ts';
import { type Bound, type Sql, sql, text } from './sql.ts';

interface ClickHouseOptions {
  client: ClickHouseClient;
  /** The number of threads per query. */
  threads: number;
  memoryBytes: number;
  timeoutMs: number;
}

const TYPES: Record<Bound['type'], string> = {
  text: 'String',
  integer: 'Int64',
  number: 'Float64',
  texts: 'Array(String)',
  integers: 'Array(Int64)',
  numbers: 'Array(Float64)',
};

/** A result has at most a few lines of a few hundred buckets. */
const MAX_ROWS = 100_000;
const MAX_BYTES = 100_000_000;
const MAX_QUERY_BYTES = 4_000_000;
const MAX_QUERY_PARTS = 1_000_000;

/** Settings that the dialect requires: standard SQL nulls, and numbers as in JSON. */
const LANGUAGE: ClickHouseSettings = {
  join_use_nulls: 1,
  cast_keep_nullable: 1,
  prefer_column_name_to_alias: 1,
  precise_float_parsing: 1,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  max_query_size: String(MAX_QUERY_BYTES),
  max_ast_elements: String(MAX_QUERY_PARTS),
  max_expanded_ast_elements: String(MAX_QUERY_PARTS),
};

/**
 * Creates an engine that queries ClickHouse over HTTP, with limits for each query. Every value of a query is a
 * bound parameter.
 */
export function createClickHouseEngine({
  client,
  threads,
  memoryBytes,
  timeoutMs,
}: ClickHouseOptions): Engine {
  const settings: ClickHouseSettings = {
    ...LANGUAGE,
    max_execution_time: Math.ceil(timeoutMs / 1000),
    max_threads: threads,
    max_memory_usage: String(memoryBytes),
    max_bytes_before_external_group_by: String(Math.floor(memoryBytes / 2)),
    max_bytes_before_external_sort: String(Math.floor(memoryBytes / 2)),
    max_result_rows: String(MAX_ROWS),
    max_result_bytes: String(MAX_BYTES),
    result_overflow_mode: 'throw',
    // Without this, an error after the first rows would come with status 200.
    wait_end_of_query: 1,
  };

  const query = (statement: Sql, signal?: AbortSignal) =>
    send(statement, signal, async (request) => {
      const result = await client.query({ ...request, format: 'JSONEachRow' });
      return result.json<Row>();
    });

  const eachPerson = (statement: Sql, visit: VisitPerson, signal?: AbortSignal) =>
    send(statement, signal, async (request) => {
      const { stream } = await client.exec({
        ...request,
        query: `${request.query} format RowBinary`,
        clickhouse_settings: { ...settings, max_result_rows: '0', max_result_bytes: String(memoryBytes) },
      });
      await visitRows(stream, visit);
    });

  async function send<T>(
    { texts, values }: Sql,
    signal: AbortSignal | undefined,
    run: (request: CommandParams) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const statement = texts.reduce(
      (before, part, index) => `${before}{p${index - 1}:${TYPES[values[index - 1]?.type ?? 'text']}}${part}`,
    );
    const queryId = randomUUID();
    try {
      return await run({
        query: statement,
        query_params: Object.fromEntries(values.map(({ value }, index) => [`p${index}`, value])),
        query_id: queryId,
        clickhouse_settings: settings,
        ...(signal === undefined ? {} : { abort_signal: signal }),
      });
    } catch (error) {
      if (signal?.aborted === true) {
        stopQuery(queryId);
        throw new QueryTimeout('The query took too long.', { cause: error });
      }
      throw known(error);
    }
  }

  /** Stops a query, which would otherwise run up to its own time limit. */
  function stopQuery(id: string): void {
    client
      .command({ query: 'kill query where query_id = {id:String} async', query_params: { id } })
      .catch(() => undefined);
  }

  async function createFacts(): Promise<Facts> {
    const run = randomUUID();
    return {
      relation: sql`(select k, p from cohort_facts where run = ${text(run)})`,
      async add(rows, signal) {
        const insert = sql`insert into cohort_facts (run, k, p) select ${text(run)}, k, p from (${rows})`;
        await send(insert, signal, (request) => client.command(request));
      },
      async addPeople(k, people, signal) {
        const values = people.map((p) => ({ run, k, p }));
        if (values.length > 0)
          await client.insert({
            table: 'cohort_facts',
            values,
            format: 'JSONEachRow',
            abort_signal: signal,
          });
      },
      async drop() {
        // Not bound, because a partition is part of the statement.
        await client.command({ query: `alter table cohort_facts drop partition '${run}'` });
      },
    };
  }

  return {
    dialect: CLICKHOUSE,
    query,
    eachPerson,
    createFacts,
    // The whole service shares the client.
    close: async () => undefined,
  };
}

const TIMEOUTS = new Set(['TIMEOUT_EXCEEDED', 'TOO_SLOW', 'SOCKET_TIMEOUT', 'QUERY_WAS_CANCELLED']);
const TOO_LARGE = new Set([
  'TOO_MANY_ROWS',
  'TOO_MANY_BYTES',
  'TOO_MANY_ROWS_OR_BYTES',
  'SET_SIZE_LIMIT_EXCEEDED',
  'QUERY_IS_TOO_LARGE',
  'TOO_BIG_AST',
]);
const BUSY = new Set([
  'TOO_MANY_SIMULTANEOUS_QUERIES',
  'QUOTA_EXCEEDED',
  'NETWORK_ERROR',
  'NOT_ENOUGH_SPACE',
  'SERVER_OVERLOADED',
  'ALL_CONNECTION_TRIES_FAILED',
  'TABLE_IS_READ_ONLY',
]);

/** Returns the error without the query and the data that ClickHouse quotes. */
function known(cause: unknown): unknown {
  if (!(cause instanceof ClickHouseError)) {
    if (!(cause instanceof Error)) return cause;
    if (/timeout/i.test(cause.message)) return new QueryTimeout('The query took too long.', { cause });
    // A connection error, such as ECONNREFUSED.
    return 'code' in cause ? new EngineBusy('ClickHouse cannot be reached.', { cause }) : cause;
  }
  const { type = '', message } = cause;
  if (TIMEOUTS.has(type)) return new QueryTimeout('The query took too long.');
  if (TOO_LARGE.has(type)) return new QueryTooLarge('The query is too large.');
  if (BUSY.has(type)) return new EngineBusy('ClickHouse is busy.');
  if (type !== 'MEMORY_LIMIT_EXCEEDED') return new Refused(cause);
  // Other queries can also exhaust the limit of the server.
  return /\(total\)|total memory/i.test(message)
    ? new EngineBusy('ClickHouse has no memory left.')
    : new QueryTooLarge('The query needs too much memory.');
}
