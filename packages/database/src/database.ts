import type { Measure } from '@switchboard/resilience';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { connect } from './connect.ts';
import { createListener, type Listening } from './listen.ts';

export interface DatabaseOptions {
  url: string;
  /**
   * The same database without a pooler, for LISTEN. Given if `url` is of a pooler that keeps no sessions: statements are
   * not prepared then, and the role has the time-outs.
   */
  directUrl?: string | undefined;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Default 10. */
  poolSize?: number;
  /** No query waits longer, even if the server is unreachable. Default `STATEMENT_TIMEOUT_MS`. */
  statementTimeoutMs?: number;
  connectTimeoutMs?: number;
  /** For whom a query that begins now is, such as a project: while queries wait for connections, holders take turns. */
  holder?: () => string;
  /** Told of every query, and of the beginning and the commit of every transaction. */
  measure?: Measure;
  /** What is done in every transaction, except those that only read and those of `sql`. */
  within?: Within;
}

/** Something that transactions do beside their own work. */
export interface Within {
  /** Called in each before it commits; if it throws, the transaction is rolled back. */
  beforeCommit(tx: Tx): Promise<void>;
  /** Called after each that was committed. */
  afterCommit(): void;
}

/** The server answers queries and refuses every write. */
export class ReadOnlyDatabase extends Error {
  override readonly name = 'ReadOnlyDatabase';

  constructor() {
    super('read-only: takes no writes');
  }
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
  /** Throws when the database does not answer, and ReadOnlyDatabase when it takes no writes. */
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

export const STATEMENT_TIMEOUT_MS = 5_000;

/** A pool of connections, each opened on demand. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, directUrl, applicationName, poolSize = 10, connectTimeoutMs = 3000 } = options;
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, holder, measure, within } = options;
  const common = { applicationName, poolSize, statementTimeoutMs, connectTimeoutMs };
  const isPooled = directUrl !== undefined;
  const { sql: pool, inFlight } = connect(url, { ...common, isPooled, holder, measure });
  const listener = createListener((hooks) => {
    const lasting = { ...hooks, idle_timeout: 0, max_lifetime: null, fetch_types: false };
    const listening = { ...common, applicationName: `${applicationName} listen`, poolSize: 1 };
    return connect(directUrl ?? url, listening, lasting).sql;
  });
  return {
    sql: pool,
    drizzle: completing(drizzle(pool), within),
    prepared: completing(drizzle(preparing(pool)), within),
    async ping() {
      // Also on where a server that is full, or a standby, takes no writes.
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

/** The same client, whose transactions do something more. */
function completing(db: Db, within: Within | undefined): Db {
  if (within === undefined) return db;
  const { beforeCommit, afterCommit } = within;
  const transaction: Db['transaction'] = async (work, config) => {
    if (config?.accessMode === 'read only') return db.transaction(work, config);
    const result = await db.transaction(async (tx) => {
      const done = await work(tx);
      await beforeCommit(tx);
      return done;
    }, config);
    afterCommit();
    return result;
  };
  return new Proxy(db, {
    get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)),
  });
}

/** The same client, whose `unsafe`, with which Drizzle sends a query, makes it a prepared statement. */
function preparing(sql: postgres.Sql): postgres.Sql {
  const unsafe: postgres.Sql['unsafe'] = (query, parameters, options) =>
    sql.unsafe(query, parameters, { ...options, prepare: true });
  return new Proxy(sql, {
    get: (target, name) => (name === 'unsafe' ? unsafe : Reflect.get(target, name)),
  });
}
