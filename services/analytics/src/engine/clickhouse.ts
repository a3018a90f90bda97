import { randomUUID } from 'node:crypto';
import type { ClickHouseClient, ClickHouseSettings, CommandParams } from '@clickhouse/client';
import { CLICKHOUSE } from './clickhouse-dialect.ts';
import { createRequests, LANGUAGE } from './clickhouse-requests.ts';
import type { Engine, Facts, Row, VisitPerson } from './engine.ts';
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

  const requests = createRequests(client);

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

  /** Binds the values of a query. */
  function send<T>(
    { texts, values }: Sql,
    signal: AbortSignal | undefined,
    run: (request: CommandParams) => Promise<T>,
  ): Promise<T> {
    const query = texts.reduce(
      (before, part, index) => `${before}{p${index - 1}:${TYPES[values[index - 1]?.type ?? 'text']}}${part}`,
    );
    const query_params = Object.fromEntries(values.map(({ value }, index) => [`p${index}`, value]));
    return requests.send({ query, query_params, clickhouse_settings: settings }, signal, run);
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
