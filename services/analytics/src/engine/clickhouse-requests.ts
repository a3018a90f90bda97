import { randomUUID } from 'node:crypto';
import {
  type ClickHouseClient,
  ClickHouseError,
  type ClickHouseSettings,
  type CommandParams,
} from '@clickhouse/client';
import { Refused } from '../clickhouse/requests.ts';
import { EngineBusy, QueryTimeout, QueryTooLarge } from './engine.ts';

const MAX_QUERY_BYTES = 4_000_000;
const MAX_QUERY_PARTS = 1_000_000;

/** Settings that the dialect requires: standard SQL nulls, and numbers as in JSON. */
export const LANGUAGE: ClickHouseSettings = {
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

/** Sends requests that end with their signal, also on the server. */
export interface Requests {
  /** Throws QueryTimeout, QueryTooLarge, EngineBusy and Refused. */
  send<T>(
    request: CommandParams,
    signal: AbortSignal | undefined,
    run: (request: CommandParams) => Promise<T>,
  ): Promise<T>;
}

/** @param waits Whether an aborted request also waits until the server has stopped it. */
export function createRequests(client: ClickHouseClient, { waits = false } = {}): Requests {
  return {
    async send(request, signal, run) {
      signal?.throwIfAborted();
      const queryId = randomUUID();
      try {
        return await run({
          ...request,
          query_id: queryId,
          ...(signal === undefined ? {} : { abort_signal: signal }),
        });
      } catch (error) {
        if (signal?.aborted === true) {
          const stopped = stopQuery(queryId);
          if (waits) await stopped;
          throw new QueryTimeout('The query took too long.', { cause: error });
        }
        throw knownError(error);
      }
    },
  };

  /** Stops a query, which would otherwise run up to its own time limit. */
  async function stopQuery(id: string): Promise<void> {
    const query = `kill query where query_id = {id:String} ${waits ? 'sync' : 'async'}`;
    await client.command({ query, query_params: { id } }).catch(() => undefined);
  }
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

const MEMORY = 'MEMORY_LIMIT_EXCEEDED';

/** Whether an error of ClickHouse is about limits or load. */
export const isKnownError = (type: string): boolean =>
  type === MEMORY || [TIMEOUTS, TOO_LARGE, BUSY].some((types) => types.has(type));

/** Returns the error without the query and the data that ClickHouse quotes. */
function knownError(cause: unknown): unknown {
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
  if (type !== MEMORY) return new Refused(cause);
  // Other queries can also exhaust the limit of the server.
  return /\(total\)|total memory/i.test(message)
    ? new EngineBusy('ClickHouse has no memory left.')
    : new QueryTooLarge('The query needs too much memory.');
}
