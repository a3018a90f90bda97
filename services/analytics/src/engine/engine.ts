import type { Dialect } from './dialect.ts';
import type { Sql } from './sql.ts';

export type Row = Record<string, unknown>;

/** Runs queries. Counts and times come as numbers where the query casts them. */
export interface Engine {
  /** The language of its queries. */
  readonly dialect: Dialect;
  /** Throws QueryTimeout, QueryTooLarge, EngineBusy and DiskFull. */
  query(query: Sql, signal?: AbortSignal): Promise<Row[]>;
  close(): Promise<void>;
}

/** The query took longer than it may. */
export class QueryTimeout extends Error {
  override readonly name = 'QueryTimeout';
}

/** The query needs more memory or disk than it may take, or finds more rows than an answer has. */
export class QueryTooLarge extends Error {
  override readonly name = 'QueryTooLarge';
}

/** The engine cannot be reached, or takes no more queries. */
export class EngineBusy extends Error {
  override readonly name = 'EngineBusy';
}
