import { bigint, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'string' });

/** The end offsets by partition: the files of `archive_files` contain the events before them. One row. */
export const archivedOffsets = pgTable('archived_offsets', {
  region: text().primaryKey(),
  offsets: bigint({ mode: 'bigint' }).array().notNull(),
});

/** The files of the topic archive-files. */
export const archiveFiles = pgTable(
  'archive_files',
  {
    key: text().primaryKey(),
    /** Null for rows of many projects, which are those of one bucket if `bucket` is set. */
    project: text(),
    bucket: integer(),
    buckets: integer(),
    bytes: bigint({ mode: 'number' }).notNull(),
    firstOccurredAt: time('first_occurred_at').notNull(),
    lastOccurredAt: time('last_occurred_at').notNull(),
    /** Null if too many to list. */
    eventNames: text('event_names').array(),
    /** Keys of the files that this one replaces. */
    replaces: text().array().notNull(),
  },
  (table) => [
    index('archive_files_by_time').on(table.project, table.lastOccurredAt, table.firstOccurredAt),
    index('archive_files_by_replaced').using('gin', table.replaces),
  ],
);
