import { sql } from 'drizzle-orm';
import { bigint, date, index, integer, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'string' });
const number = (name: string) => bigint(name, { mode: 'number' });

/** The Parquet files of events, and what of them the topic `archive-files` says. Rows outlive their objects by days. */
export const eventFiles = pgTable(
  'event_files',
  {
    key: text().primaryKey(),
    /** UTC day of acceptance. */
    day: date({ mode: 'string' }).notNull(),
    /** Null: of many projects. */
    projectId: text('project_id'),
    bucket: integer(),
    buckets: integer(),
    rows: number('rows').notNull(),
    bytes: number('bytes').notNull(),
    /** About how many bytes its rows take in memory. */
    rowBytes: number('row_bytes').notNull(),
    /** Milliseconds since 1970. */
    firstOccurredAt: number('first_occurred_at').notNull(),
    lastOccurredAt: number('last_occurred_at').notNull(),
    /** Null: too many. */
    eventNames: text('event_names').array(),
    createdAt: time('created_at').notNull().defaultNow(),
    /** The step that made it from other files. */
    madeBy: uuid('made_by'),
    /** The step that made others from it. */
    replacedBy: uuid('replaced_by'),
    /** From then on it is not read. In the future: it is being written, and is not read yet. */
    replacedAt: time('replaced_at'),
    /** When its object was deleted. */
    deletedAt: time('deleted_at'),
    /** Ascending with each change. */
    revision: bigint({ mode: 'bigint' }).generatedByDefaultAsIdentity().notNull(),
    /** Null while the topic has an older state. */
    publishedAt: time('published_at'),
  },
  (table) => [
    index('event_files_read')
      .on(table.day, table.projectId)
      .where(sql`${table.replacedAt} is null and ${table.deletedAt} is null`),
    index('event_files_made').on(table.madeBy).where(sql`${table.madeBy} is not null`),
    index('event_files_replaced').on(table.replacedBy).where(sql`${table.replacedBy} is not null`),
    index('event_files_to_delete')
      .on(table.replacedAt)
      .where(sql`${table.replacedAt} is not null and ${table.deletedAt} is null`),
    index('event_files_deleted').on(table.deletedAt).where(sql`${table.deletedAt} is not null`),
    index('event_files_to_publish').on(table.revision).where(sql`${table.publishedAt} is null`),
  ],
);

/** The offset after the last record published to `archive-files`, by partition. */
export const publishedFiles = pgTable('published_files', {
  logPartition: integer('log_partition').primaryKey(),
  nextOffset: number('next_offset').notNull(),
});

/** Projects whose events are to be erased; a row is deleted once they are. */
export const erasedProjects = pgTable('erased_projects', {
  projectId: text('project_id').primaryKey(),
  requestedAt: time('requested_at').notNull().defaultNow(),
});

/** A row asks to look for files that are in the object store alone; it is deleted once they are in `event_files`. */
export const adoptions = pgTable('adoptions', {
  requestedAt: time('requested_at').primaryKey().defaultNow(),
});
