import type { Dialect } from './dialect.ts';
import type { Sql } from './sql.ts';

export type Row = Record<string, unknown>;

/** The events of a person, as rows of a query of people. */
export interface PersonEvents {
  /** 64-bit integers, each as two words, of which the low one is first. */
  readonly words: Uint32Array;
  /** Returns the id of the person. */
  person(): string;
  /** Returns a text of the list of texts; '' beyond its end. */
  label(index: number): string;
}

/** A visit that may take long returns a promise, and lets other work continue. */
export type VisitPerson = (events: PersonEvents) => Promise<void> | void;

/** Runs queries. Counts and times are returned as numbers where the query casts them. */
export interface Engine {
  /** The SQL dialect of the queries. */
  readonly dialect: Dialect;
  /** Throws QueryTimeout, QueryTooLarge, EngineBusy and DiskFull. */
  query(query: Sql, signal?: AbortSignal): Promise<Row[]>;
  /**
   * Runs a query of rows of a person, an `integerList` and a list of texts. Visits the rows one after the other, without
   * blocking other work for long. Integers are sorted, in lists that `concatenated` joined each list between -1s. The arguments of a visit are valid until it ends. Throws the same errors as
   * `query`.
   */
  eachPerson(query: Sql, visit: VisitPerson, signal?: AbortSignal): Promise<void>;
  /** Creates an empty table for one computation. */
  createFacts(signal: AbortSignal): Promise<Facts>;
  close(): Promise<void>;
}

/** A table of people by number: what `k` stands for is up to the computation. */
export interface Facts {
  /** A relation of `k` and `p`. */
  readonly relation: Sql;
  /** Adds the rows of a query of `k` and `p`. */
  add(query: Sql, signal: AbortSignal): Promise<void>;
  addPeople(k: number, people: readonly string[], signal: AbortSignal): Promise<void>;
  /** Also works after a time-out. */
  drop(): Promise<void>;
}

/** The query exceeded its time limit. */
export class QueryTimeout extends Error {
  override readonly name = 'QueryTimeout';
}

/** The query exceeds the limit of memory, disk or rows. */
export class QueryTooLarge extends Error {
  override readonly name = 'QueryTooLarge';
}

/** The engine cannot be reached, or accepts no more queries. */
export class EngineBusy extends Error {
  override readonly name = 'EngineBusy';
}
