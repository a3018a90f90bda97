import { DependencyProblem, type Measure } from '@switchboard/resilience';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { connect } from './connect.ts';
import { createListener, type Listening } from './listen.ts';

export interface DatabaseOptions {
  url: string;
  /**
   * The address of the same database without a pooler, for LISTEN. Set if `url` is a pooler that keeps no sessions:
   * statements are then not prepared, and the role has the time-outs.
   */
  directUrl?: string | undefined;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Default: 10. */
  poolSize?: number;
  /** The longest time that a query waits, even if the server is unreachable. Default: `STATEMENT_TIMEOUT_MS`. */
  statementTimeoutMs?: number;
  connectTimeoutMs?: number;
  /** Returns the fairness key of a query that begins now, such as a project. Keys take turns while queries wait. */
  fairnessKey?: () => string;
  /** Called for every query, and for the start and the commit of every transaction. */
  measure?: Measure;
}

/** The server answers queries but rejects every write. */
export class ReadOnlyDatabase extends DependencyProblem {
  override readonly name = 'ReadOnlyDatabase';

  constructor() {
    super('read-only: takes no writes');
  }
}

export interface Database {
  /**
   * postgres.js, for queries that Drizzle cannot express. It shares Drizzle's types: dates and times are read as
   * PostgreSQL writes them, and JSON is sent as text (`${JSON.stringify(value)}::jsonb`) and returned parsed.
   */
  sql: postgres.Sql;
  drizzle: PostgresJsDatabase;
  /**
   * Like `drizzle`, with prepared statements: each connection parses a statement once and keeps it, which saves one
   * of two round trips. Statements of a transaction that begin together are sent together. For frequent queries with few
   * distinct texts.
   */
  prepared: PostgresJsDatabase;
  /** Throws if the database does not answer, and ReadOnlyDatabase if it accepts no writes. */
  ping(): Promise<void>;
  poolSize: number;
  /** The number of queries and transactions that run or wait for a connection. Above `poolSize`, some wait. */
  inFlight(): number;
  /**
   * Calls onMessage for every NOTIFY on the channel from now on. onGap is called when notifications may have been lost:
   * once when the connection is lost, once when it is restored. Throws if it cannot listen now.
   */
  listen(channel: string, onMessage: (payload: string) => void, onGap: () => void): Promise<Listening>;
  /** Lets running queries finish for 5 s, then disconnects. */
  close(): Promise<void>;
}

/** The client that the stores of a service use. */
export type Db = Database['drizzle'];

/** A transaction of `Db`. Statements of a store that accepts `Db | Tx` may be part of a larger transaction. */
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];

/** Runs work in a transaction: `Db`, or a change that also stores its audit entry. */
export interface Transactor {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

export const STATEMENT_TIMEOUT_MS = 5_000;

/** Opens a pool of connections. Each connects on demand. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, directUrl, applicationName, poolSize = 10, connectTimeoutMs = 3000 } = options;
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, fairnessKey, measure } = options;
  const common = { applicationName, poolSize, statementTimeoutMs, connectTimeoutMs };
  const isPooled = directUrl !== undefined;
  const { sql: pool, inFlight } = connect(url, { ...common, isPooled, fairnessKey, measure });
  const listener = createListener((hooks) => {
    const lasting = { ...hooks, idle_timeout: 0, max_lifetime: null, fetch_types: false };
    const listening = { ...common, applicationName: `${applicationName} listen`, poolSize: 1 };
    return connect(directUrl ?? url, listening, lasting).sql;
  });
  return {
    sql: pool,
    drizzle: drizzle(pool),
    prepared: drizzle(preparing(pool)),
    async ping() {
      // Also `on` for a server that is full and for a standby.
      const [row] = await pool<{ state: string }[]>`select current_setting('transaction_read_only') as state`;
      if (row?.state === 'on') throw new ReadOnlyDatabase();
    },
    poolSize,
    inFlight,
    listen: listener.listen,
    async close() {
      await Promise.all([pool.end({ timeout: 5 }), listener.close()]);
    },
  };
}

/** Returns the same client with an `unsafe`, which Drizzle sends queries with, that prepares statements. */
function preparing<Sql extends postgres.Sql | postgres.TransactionSql>(sql: Sql): Sql {
  const unsafe: postgres.Sql['unsafe'] = (query, parameters, options) =>
    sql.unsafe(query, parameters, { ...options, prepare: true });
  return new Proxy(sql, {
    get(target, name) {
      if (name === 'unsafe') return unsafe;
      const found: unknown = Reflect.get(target, name);
      if ((name !== 'begin' && name !== 'savepoint') || typeof found !== 'function') return found;
      return (...given: unknown[]) => Reflect.apply(found, target, given.map(preparingWork));
    },
  });
}

/** Returns the work of a transaction that gets a client that prepares statements. Other arguments stay as they are. */
const preparingWork = (argument: unknown) =>
  typeof argument === 'function'
    ? (transaction: postgres.TransactionSql) => argument(preparing(transaction))
    : argument;
