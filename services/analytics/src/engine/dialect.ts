import type { Bound, Sql } from './sql.ts';

/** The number of characters of a value that its label keeps: the limit of a report. */
export const LABEL_LENGTH = 200;

/** Returns the visible part of a label. */
export function shownOf(label: string): string {
  return [...label].slice(0, LABEL_LENGTH).join('');
}

/** The kinds of a JSON value. */
export type JsonKind = 'text' | 'number' | 'boolean' | 'null' | 'object' | 'list';

/**
 * The differences between the SQL of the engines. JSON is text. For a missing value every function returns null or
 * false. Numbers, versions and instants follow the semantics of flags (packages/domain/flag-engine), which property tests
 * verify.
 */
export interface Dialect {
  /** Returns the part of a JSON value at a path of names and indexes. */
  partOf(json: Sql, path: readonly (string | number)[]): Sql;
  /** Returns a property of the JSON object in a column. Text that is not JSON has none. */
  propertyOf(document: Sql, name: string): Sql;
  /**
   * Returns a query of `name`, `value` and `seen` with a row for each property of the JSON objects in the column
   * `document`. It repeats the number in the column `seen`.
   */
  members(documents: Sql): Sql;
  /** Returns the first of two JSON values, or the other one where the first is missing. */
  either(json: Sql, other: Sql): Sql;
  /** Returns the JSON of the country of a time zone. */
  countryOf(zone: Sql): Sql;
  /** Returns the number of bytes of a text in UTF-8; 0 for null. */
  bytesOf(text: Sql): Sql;
  jsonOf(text: Sql): Sql;
  /** Returns a JSON value of a left join; missing where no row matched. */
  joined(json: Sql): Sql;

  isSet(json: Sql): Sql;
  isKind(json: Sql, kind: 'list' | 'object' | 'boolean' | 'null'): Sql;
  /** Returns a JsonKind. */
  kindOf(json: Sql): Sql;
  /** Returns the number of elements of an object or list. */
  sizeOf(json: Sql): Sql;
  /** Returns the string of a JSON string. */
  textOf(json: Sql): Sql;
  /** Returns the text of a boolean. */
  wordOf(json: Sql): Sql;
  /** Returns the number of a JSON number. */
  numberOf(json: Sql): Sql;
  /** Parses a text as a number. */
  parsedNumber(text: Sql): Sql;
  /** Returns the number of a JSON number, or of a text that is a number. */
  numericOf(json: Sql): Sql;
  /** Returns a text that sorts like the version. */
  versionKey(text: Sql): Sql;
  /** Returns milliseconds since 1970. */
  parsedInstant(text: Sql): Sql;
  /**
   * Returns the label of a breakdown's value: its text. A long text is cut to LABEL_LENGTH characters, followed by
   * its hash.
   */
  labelOf(json: Sql): Sql;
  /** Like `labelOf`, for a property of a column. Its text may not be JSON. */
  labelOfProperty(document: Sql, name: string): Sql;
  /** Whether any element of a JSON list passes. */
  someElement(json: Sql, test: (element: Sql) => Sql): Sql;

  /** Whether a bound list contains a value; null if the value is null. */
  holds(list: Bound, value: Sql): Sql;
  /** Whether any text of a bound list is part of a text. */
  someIsPartOf(list: Bound, text: Sql): Sql;
  /** Returns a query of the elements of a bound list. */
  rowsOf(list: Bound): Sql;
  /** Returns an element of a bound list. Indexes count from 1. */
  elementOf(list: Bound, index: Sql): Sql;

  /** Returns the integer part of a non-negative number divided by `divisor`. */
  quotient(value: Sql, divisor: number): Sql;
  /** Returns the milliseconds since 1970 of an instant. */
  millisOf(instant: Sql): Sql;
  /** Returns an instant from milliseconds since 1970. */
  instant(millis: number): Sql;

  /** With little rounding. Null for no values; not finite, or null, beyond the range of a double. */
  accurateSum(value: Sql): Sql;
  /** Finite; null for no rows. */
  average(value: Sql): Sql;
  /** Interpolated and finite; null for no rows. `part` is between 0 and 1. */
  quantile(value: Sql, part: Sql): Sql;

  /** Ends a `select` that joins all people or their ids, which may not fit into memory. */
  readonly inLittleMemory: Sql;

  /** Whether a mask has a bit. The first bit is 0. */
  hasBit(mask: Sql, bit: number): Sql;
  /** Returns one row for each element of a list. */
  elements(list: Sql): Sql;
  /** Returns the first characters of the MD5 of a text, in hex. */
  md5Prefix(text: Sql, length: number): Sql;
  /** Returns the sorted texts of a group as a JSON list. */
  jsonOfTexts(text: Sql): Sql;

  /** Begins a `with` query that is read more than once. */
  readonly materialized: Sql;

  /**
   * Returns the values as one row value, ordered by the first, then the next. Where the condition fails, the result
   * is no row and sorts below all others.
   */
  rowIf(condition: Sql, values: readonly Sql[]): Sql;
  /** Returns a value of such a row. Indexes count from 0. */
  valueOf(row: Sql, index: number): Sql;
  /** Returns the integers of a group as a list, which `Engine.eachPerson` visits sorted. */
  integerList(value: Sql): Sql;
  /** Returns the lists of a group one after the other, in the same order for each column of the group. */
  concatenated(list: Sql): Sql;
  /** Returns a list of integers with one more at its beginning. */
  prepended(integer: Sql, list: Sql): Sql;
  /** Returns the texts of the rows of a group that fulfill a condition, in the order of `by`, then of the texts. */
  sortedTexts(text: Sql, by: Sql, condition: Sql): Sql;
}
