import { backoffDelay } from '@switchboard/resilience';
import postgres from 'postgres';
import { boundQueries } from './bounded.ts';
import { createSockets } from './sockets.ts';

export interface ConnectOptions {
  applicationName: string;
  poolSize: number;
  /** 0: no bound. */
  statementTimeoutMs: number;
  connectTimeoutMs: number;
}

/** What every connection of Switchboard has in common. */
export function connectionOptions(options: ConnectOptions) {
  return {
    max: options.poolSize,
    connect_timeout: options.connectTimeoutMs / 1000,
    idle_timeout: 300,
    keep_alive: 10,
    // postgres.js would wait up to 20 s before it tries again.
    backoff: (attempt: number) => backoffDelay(attempt, { baseMs: 50, maxMs: 1_000 }) / 1_000,
    prepare: true,
    onnotice: () => undefined,
    connection: {
      application_name: options.applicationName,
      statement_timeout: options.statementTimeoutMs,
      idle_in_transaction_session_timeout: options.statementTimeoutMs * 6,
      TimeZone: 'UTC',
    },
    types: { bigint },
  } satisfies postgres.Options<{ bigint: postgres.PostgresType<bigint | number> }>;
}

/** int8 (counts, sums of int4) is a number where a number is exact, a bigint beyond 2^53. */
const bigint = {
  to: 20,
  from: [20],
  serialize: (value: bigint | number) => String(value),
  parse: (text: string) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)),
};

/** Time for an answer that PostgreSQL's own time-out ends to arrive. */
const graceMs = 500;

/**
 * A client of which no query waits longer than the statement time-out, half a second added, be the server stopped or
 * gone without a word. Connections it no longer answers on are given up, so that the next query makes a new one.
 */
export function connect(
  url: string,
  options: ConnectOptions,
  more: postgres.Options<Record<string, never>> = {},
) {
  const sockets = createSockets();
  const sql = postgres(url, { ...connectionOptions(options), ...more, ...{ socket: sockets.open } });
  let inFlight = 0;
  const bound = {
    withinMs: options.statementTimeoutMs + graceMs,
    onStart: () => sockets.look(),
    count(change: 1 | -1) {
      inFlight += change;
    },
    onTimeout: () => sockets.destroySilent(options.statementTimeoutMs),
  };
  return { sql: boundQueries(sql, bound), inFlight: () => inFlight };
}
