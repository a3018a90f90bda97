import { asc, gt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

const PAGE_SIZE = 200;

/** The order of a list and where a page of it begins, by the column that names its rows. */
export function pageBy(column: PgColumn, cursor: string | undefined) {
  const after: SQL = cursor === undefined ? sql`true` : gt(column, cursor);
  return { after, order: asc(column), limit: PAGE_SIZE + 1 };
}

/** One page of the rows read, which are one more than a page where there is another. */
export function onePage<R>(rows: R[], nameOf: (row: R) => string): { rows: R[]; nextCursor: string | null } {
  const page = rows.slice(0, PAGE_SIZE);
  const last = page.at(-1);
  return { rows: page, nextCursor: rows.length > PAGE_SIZE && last !== undefined ? nameOf(last) : null };
}
