import { bigint, json, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true });

/** How far the slow changes of a service's rows are; a service that has any adds it to its schema. */
export const backfills = pgTable('backfills', {
  name: text().primaryKey(),
  /** The key of the last row that was looked at; null before the first and once it is done. */
  position: json().$type<string[]>(),
  /** How many rows were looked at. */
  rows: bigint({ mode: 'number' }).notNull().default(0),
  /** No instance begins the next batch before. */
  nextAt: time('next_at').notNull().defaultNow(),
  doneAt: time('done_at'),
});
