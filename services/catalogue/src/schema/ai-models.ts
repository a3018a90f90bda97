import { sql } from 'drizzle-orm';
import { bigint, boolean, check, integer, pgTable, text } from 'drizzle-orm/pg-core';

const price = (name: string) => bigint(name, { mode: 'number' }).notNull();

/** Prices before markup, in micro-dollars per million tokens. */
export const aiModels = pgTable('ai_models', {
  id: text().primaryKey(),
  displayName: text('display_name').notNull(),
  input: price('input'),
  output: price('output'),
  cacheWrite5m: price('cache_write_5m'),
  cacheWrite1h: price('cache_write_1h'),
  cacheRead: price('cache_read'),
});

/** A table with one row. */
export const aiMarkup = pgTable(
  'ai_markup',
  { only: boolean().primaryKey().default(true), percent: integer().notNull().default(0) },
  (table) => [check('one_row', sql`${table.only}`)],
);
