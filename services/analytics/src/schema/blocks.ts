import { bigint, index, integer, pgTable, primaryKey, timestamp } from 'drizzle-orm/pg-core';

const number = (name: string) => bigint(name, { mode: 'number' });

/**
 * Runs of consecutive records that are inserted into ClickHouse together. The first insert fixes the end of a
 * run, so that every process inserts it with the same name, by which ClickHouse recognizes duplicates.
 */
export const clickhouseBlocks = pgTable(
  'clickhouse_blocks',
  {
    logPartition: integer('log_partition').notNull(),
    firstOffset: number('first_offset').notNull(),
    /**
     * Log timestamp of the first record, in milliseconds. It distinguishes the offsets of a recreated topic from the
     * old ones.
     */
    firstAt: number('first_at').notNull(),
    lastOffset: number('last_offset').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({
      name: 'clickhouse_blocks_pk',
      columns: [table.logPartition, table.firstOffset, table.firstAt],
    }),
    index('clickhouse_blocks_by_age').on(table.createdAt),
  ],
);
