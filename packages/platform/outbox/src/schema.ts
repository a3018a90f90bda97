import { bigint, integer, pgTable } from 'drizzle-orm/pg-core';

/** Defines a table of the offset after the last record published to each partition of a topic. */
export function offsetsTable(name: string) {
  return pgTable(name, {
    logPartition: integer('log_partition').primaryKey(),
    nextOffset: bigint('next_offset', { mode: 'bigint' }).notNull(),
  });
}

export type OffsetsTable = ReturnType<typeof offsetsTable>;
