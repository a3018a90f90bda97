import type { Row } from './row.ts';

/** The order of rows in a file, which keeps the rows of a question together. No two rows are equal. */
export function compareRows(one: Row, other: Row): number {
  return (
    compare(one.projectId, other.projectId) ||
    compare(one.eventName, other.eventName) ||
    compare(one.distinctId, other.distinctId) ||
    one.occurredAt - other.occurredAt ||
    one.partition - other.partition ||
    compare(one.offset, other.offset) ||
    one.line - other.line
  );
}

function compare<T extends string | bigint>(one: T, other: T): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
