import { bigint, json, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true });

/** The progress of a service's backfills. A service that has backfills adds this table to its schema. */
export const backfills = pgTable('backfills', {
  name: text().primaryKey(),
  /** The key of the last row that was looked at; null before the first row and once the backfill is done. */
  position: json().$type<string[]>(),
  /** The number of rows that were looked at. */
  rows: bigint({ mode: 'number' }).notNull().default(0),
  /** The time before which no instance begins the next batch. */
  nextAt: time('next_at').notNull().defaultNow(),
  doneAt: time('done_at'),
});
