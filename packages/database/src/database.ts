import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { connect } from './connect.ts';
import { createListener, type Listening } from './listen.ts';

export interface DatabaseOptions {
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  poolSize?: number;
  /** No query waits longer, even if the server is unreachable. Default 5000. */
  statementTimeoutMs?: number;
  connectTimeoutMs?: number;
  /** For whom a query that begins now is, such as a project: while queries wait for connections, holders take turns. */
  holder?: () => string;
}

export interface Database {
  /**
   * postgres.js, for what Drizzle cannot say. It shares Drizzle's types: dates and times are read as PostgreSQL
   * writes them, and JSON goes in as text (`${JSON.stringify(value)}::jsonb`) and comes out parsed.
   */
  sql: postgres.Sql;
  drizzle: PostgresJsDatabase;
  /**
   * As `drizzle`, but a connection has a statement parsed once and keeps it, so that it takes one round trip instead of
   * two. For frequent queries of few texts; not in a transaction.
   */
  prepared: PostgresJsDatabase;
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  poolSize: number;
  /** Queries and transactions that run or wait for a connection; above the pool's size, some wait. */
  inFlight(): number;
  /**
   * Calls onMessage for every NOTIFY on the channel from now on. onGap is called when notifications may have been lost:
   * once when the connection is lost, once when it is restored. Throws if it cannot listen now.
   */
  listen(channel: string, onMessage: (payload: string) => void, onGap: () => void): Promise<Listening>;
  /** Lets running queries finish for 5 s, then disconnects. */
  close(): Promise<void>;
}

/** What a store of a service queries. */
export type Db = Database['drizzle'];

/** A transaction of `Db`; where a store takes `Db | Tx`, its statements may be part of a larger transaction. */
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];

/** A pool of connections, each opened on demand. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, applicationName, poolSize = 10, statementTimeoutMs = 5000, connectTimeoutMs = 3000 } = options;
  const { holder } = options;
  const common = { applicationName, poolSize, statementTimeoutMs, connectTimeoutMs };
  const { sql: pool, inFlight } = connect(url, { ...common, holder });
  const listener = createListener((hooks) => {
    const lasting = { ...hooks, idle_timeout: 0, max_lifetime: null, fetch_types: false };
    return connect(url, { ...common, applicationName: `${applicationName} listen`, poolSize: 1 }, lasting)
      .sql;
  });
  return {
    sql: pool,
    drizzle: drizzle(pool),
    prepared: drizzle(preparing(pool)),
    async ping() {
      await pool`select 1`;
    },
    poolSize,
    inFlight,
    listen: listener.listen,
    async close() {
      await Promise.all([pool.end({ timeout: 5 }), listener.close()]);
    },
  };
}

/** The same client, whose `unsafe`, with which Drizzle sends a query, makes it a prepared statement. */
function preparing(sql: postgres.Sql): postgres.Sql {
  const unsafe: postgres.Sql['unsafe'] = (query, parameters, options) =>
    sql.unsafe(query, parameters, { ...options, prepare: true });
  return new Proxy(sql, {
    get: (target, name) => (name === 'unsafe' ? unsafe : Reflect.get(target, name)),
  });
}
