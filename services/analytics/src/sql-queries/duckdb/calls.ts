import type { SqlQuery, SqlSpan, SqlTable, View } from '../query.ts';

/** A query that can run, with the views that it reads. */
export interface CheckedSql {
  /** As DuckDB writes the statement that was checked. */
  statement: string;
  views: View[];
}

/** The data of one project that a query can read. Paths are those of files. */
export interface SqlData extends SqlSpan {
  projectId: string;
  /** Parquet files of the project's events. */
  events: readonly string[];
  /** Parquet files with events of several projects, and where to copy those of this one. */
  shared: readonly string[];
  copy: string;
  /** Parquet of distinct_id and person_id of each id that belongs to a person with another id. */
  persons: string | undefined;
  /** Lines of JSON. */
  people: string | undefined;
  groups: string | undefined;
}

/** A query to run, and its limits. */
export interface SqlJob extends Pick<SqlQuery, 'params'> {
  statement: string;
  data: SqlData;
  memoryBytes: number;
  spillFolder: string;
  spillBytes: number;
  maxRows: number;
  maxBytes: number;
}

/** Errors lose their class between processes, so a refusal is a result. */
export type Refusable<T> = { ok: T } | { unusable: string } | { tooLarge: string };

/** The calls to the process. */
export interface SqlProcessCalls {
  check(query: SqlQuery): Promise<Refusable<CheckedSql>>;
  run(job: SqlJob): Promise<Refusable<SqlTable>>;
}
