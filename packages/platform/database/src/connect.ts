import { createPermits } from '@switchboard/fairness';
import { backoffDelay, type Measure } from '@switchboard/resilience';
import postgres from 'postgres';
import { boundQueries } from './bounded.ts';
import { createSockets } from './sockets.ts';

export interface ConnectOptions {
  applicationName: string;
  poolSize: number;
  /** 0 means no limit. */
  statementTimeoutMs: number;
  connectTimeoutMs: number;
  /**
   * Whether `url` is a pooler that gives the connection to another client after each transaction. Statements are then
   * not prepared, and the time-outs are those of the role.
   */
  isPooled?: boolean;
  /** Returns the fairness key of a query that begins now: a project, an address, or '' for none. Default: ''. */
  fairnessKey?: (() => string) | undefined;
  measure?: Measure | undefined;
}

/**
 * The largest share of connections for one fairness key, so that others get one while its queries wait for commits or
 * locks.
 */
const PART_OF_KEY = 0.8;

/** Returns the options of every connection. */
export function connectionOptions(options: ConnectOptions) {
  return {
    max: options.poolSize,
    connect_timeout: options.connectTimeoutMs / 1000,
    idle_timeout: 300,
    keep_alive: 10,
    // The default of postgres.js waits up to 20 s between attempts.
    backoff: (attempt: number) => backoffDelay(attempt, { baseMs: 50, maxMs: 1_000 }) / 1_000,
    prepare: !options.isPooled,
    onnotice: () => undefined,
    connection: {
      application_name: options.applicationName,
      TimeZone: 'UTC',
      ...(options.isPooled ? {} : timeoutsOf(options.statementTimeoutMs)),
    },
    types: { bigint },
  } satisfies postgres.Options<{ bigint: postgres.PostgresType<bigint | number> }>;
}

/** Returns time-outs in milliseconds, keyed by the names of PostgreSQL's settings. */
export function timeoutsOf(statementTimeoutMs: number) {
  return {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs * 6,
  };
}

/** Parses int8 (counts, sums of int4) as a number where that is exact, and as a bigint beyond 2^53. */
const bigint = {
  to: 20,
  from: [20],
  serialize: (value: bigint | number) => String(value),
  parse: (text: string) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)),
};

/** Time for the error of PostgreSQL's own time-out to arrive. */
const GRACE_MS = 500;

/**
 * Opens a client. Its queries never wait longer than the statement time-out plus half a second, even if the server is
 * stopped or unreachable. While all connections are used, fairness keys get the next free one in rotation.
 * Connections that no longer answer are closed, so that the next query opens a new one.
 */
export function connect(
  url: string,
  options: ConnectOptions,
  more: postgres.Options<Record<string, never>> = {},
) {
  const sockets = createSockets();
  const sql = postgres(url, { ...connectionOptions(options), ...more, ...{ socket: sockets.open } });
  let inFlight = 0;
  const { fairnessKey = () => '' } = options;
  // Without permits, postgres.js would queue excess queries in call order, or behind slow ones.
  const permitOf = createPermits(options.poolSize, Math.max(1, Math.floor(options.poolSize * PART_OF_KEY)));
  const bound = {
    permit: () => permitOf(fairnessKey()),
    withinMs: options.statementTimeoutMs + GRACE_MS,
    onStart: () => sockets.look(),
    count(change: 1 | -1) {
      inFlight += change;
    },
    measure: options.measure,
    onTimeout: () => sockets.destroySilent(options.statementTimeoutMs),
  };
  return { sql: boundQueries(sql, bound), inFlight: () => inFlight };
}
