import type { SqlResult } from '@switchboard/contracts';
import type { FoundSource } from '../query-queue/source.ts';

/** A value of a parameter. */
export type SqlValue = string | number | boolean;

/** A query as it was sent. */
export interface SqlQuery {
  query: string;
  params: Readonly<Record<string, SqlValue>>;
}

/** When the events of the views occurred, in milliseconds since 1970. `to` is exclusive. */
export interface SqlSpan {
  from: number;
  to: number;
}

/** The rows of a query. */
export interface SqlTable {
  columns: { name: string; type: string }[];
  /** A JSON list with a list for each row. */
  rows: string;
  /** Whether there are more rows than the limits allow. */
  truncated: boolean;
}

/** Runs queries in one dialect of SQL. */
export interface SqlEngine {
  dialect: SqlResult['dialect'];
  /** Throws UnusableSql, and what queries throw. */
  compute(source: FoundSource, query: SqlQuery, span: SqlSpan, signal: AbortSignal): Promise<SqlTable>;
}

/** The limits of a result. */
export const MAX_ROWS = 10_000;
export const MAX_BYTES = 4_000_000;

/** The views that a query can read. */
export const VIEWS = ['events', 'people', 'groups', 'sessions'] as const;
export type View = (typeof VIEWS)[number];

/** The limits of a statement. Planning many joins takes minutes, and does not stop when it is interrupted. */
export const MAX_TABLES = 20;
export const MAX_NODES = 20_000;

/** The query is not one that may run. The message says what to change. */
export class UnusableSql extends Error {
  override readonly name = 'UnusableSql';
}

export const notAllowed = (part: unknown) => new UnusableSql(`${String(part)} is not allowed`);
export const noTable = (name: string) =>
  new UnusableSql(`no table "${name}"; the tables are ${VIEWS.join(', ')}`);

/** Throws unless every parameter of the query has a value, and every value a parameter. */
export function checkParams(
  names: ReadonlySet<string>,
  params: SqlQuery['params'],
  written: (name: string) => string,
): void {
  for (const name of names) {
    if (!Object.hasOwn(params, name)) {
      throw new UnusableSql(`the parameter ${written(name)} has no value in params`);
    }
  }
  for (const name of Object.keys(params)) {
    if (!names.has(name)) {
      throw new UnusableSql(`params has ${name}, but the query has no ${written(name)}`);
    }
  }
}
