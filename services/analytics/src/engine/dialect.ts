import type { Bound, Sql } from './sql.ts';

/** The characters of a value that its label keeps: what a report allows. */
export const LABEL_LENGTH = 200;

/** What a label shows of its value. */
export function shownOf(label: string): string {
  return [...label].slice(0, LABEL_LENGTH).join('');
}

/** The kinds of a JSON value. */
export type JsonKind = 'text' | 'number' | 'boolean' | 'null' | 'object' | 'list';

/**
 * Where the languages of the engines differ. JSON is text; of a value that is missing every function is null or false,
 * and numbers, versions and instants are those of flags (packages/flag-engine). Property tests hold them to it.
 */
export interface Dialect {
  /** A part within JSON objects and lists, by the names and indexes that lead to it. */
  partOf(json: Sql, path: readonly (string | number)[]): Sql;
  /** A part of the JSON object in a column. Text that is not JSON has none. */
  propertyOf(document: Sql, name: string): Sql;
  /** A query of `name` and `value`, a row for each part of the JSON objects in the column `document` of a query. */
  members(documents: Sql): Sql;
  /** The bytes of a text in UTF-8; 0 for null. */
  bytesOf(text: Sql): Sql;
  jsonOf(text: Sql): Sql;
  /** A JSON value of a left join: missing where nothing was joined. */
  joined(json: Sql): Sql;

  isSet(json: Sql): Sql;
  isKind(json: Sql, kind: 'list' | 'object' | 'boolean' | 'null'): Sql;
  /** A JsonKind. */
  kindOf(json: Sql): Sql;
  /** How many parts an object or list has. */
  sizeOf(json: Sql): Sql;
  /** The string of a JSON string. */
  textOf(json: Sql): Sql;
  /** The text of a boolean. */
  wordOf(json: Sql): Sql;
  /** The number of a JSON number. */
  numberOf(json: Sql): Sql;
  /** The number that a text is. */
  parsedNumber(text: Sql): Sql;
  /** Of a number, or a text that is one. */
  numericOf(json: Sql): Sql;
  /** A text that orders as the version does. */
  versionKey(text: Sql): Sql;
  /** Milliseconds since 1970. */
  parsedInstant(text: Sql): Sql;
  /** The label of a breakdown's value: its text, or for a long one its first LABEL_LENGTH characters and a hash of it. */
  labelOf(json: Sql): Sql;
  /** The same of a property of a column, whose text may not be JSON. */
  labelOfProperty(document: Sql, name: string): Sql;
  /** Whether some element of a JSON list passes. */
  someElement(json: Sql, test: (element: Sql) => Sql): Sql;

  /** Whether a bound list holds a value; null where that is null. */
  holds(list: Bound, value: Sql): Sql;
  /** Whether some text of a bound list is part of a text. */
  someIsPartOf(list: Bound, text: Sql): Sql;
  /** A query of the elements of a bound list. */
  rowsOf(list: Bound): Sql;
  /** The element of a bound list, from 1. */
  elementOf(list: Bound, index: Sql): Sql;

  /** The whole part of a number that is not negative, divided by another. */
  quotient(value: Sql, divisor: number): Sql;
  /** Milliseconds since 1970 of an instant. */
  millisOf(instant: Sql): Sql;
  /** An instant from milliseconds since 1970. */
  instant(millis: number): Sql;

  /** 0 of nothing; not finite, or null, where it is beyond a double. */
  sum(value: Sql): Sql;
  /** Finite; null of nothing. */
  average(value: Sql): Sql;
  /** Interpolated, finite; null of nothing. `part` is between 0 and 1. */
  quantile(value: Sql, part: Sql): Sql;

  /** Ends a `select` with a join of everybody, whom memory may not hold. */
  readonly inLittleMemory: Sql;

  /** Begins the query of a `with` that is read more than once. */
  readonly materialized: Sql;

  /** Values as one, ordered by the first, then the next; no value and lower than all others where the condition fails. */
  rowIf(condition: Sql, values: readonly Sql[]): Sql;
  isRow(row: Sql): Sql;
  /** A value of such a row, from 0. */
  valueOf(row: Sql, index: number): Sql;
  /** At most so many values of a group as a list. */
  someOf(value: Sql, count: number): Sql;
  /** How many different values lists have together. */
  sizeOfUnion(lists: readonly Sql[]): Sql;
}
