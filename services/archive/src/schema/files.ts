import { offsetsTable } from '@switchboard/outbox/schema';
import { sql } from 'drizzle-orm';
import { bigint, date, index, integer, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'string' });
const number = (name: string) => bigint(name, { mode: 'number' });

/**
 * The Parquet files of events, and their state on the topic `archive-files`. Rows remain for days after their objects
 * are deleted.
 */
export const eventFiles = pgTable(
  'event_files',
  {
    key: text().primaryKey(),
    /** The UTC day of acceptance. */
    day: date({ mode: 'string' }).notNull(),
    /** Null for many projects. */
    projectId: text('project_id'),
    bucket: integer(),
    buckets: integer(),
    rows: number('rows').notNull(),
    bytes: number('bytes').notNull(),
    /** Approximate bytes of its rows in memory. */
    rowBytes: number('row_bytes').notNull(),
    /** Milliseconds since 1970. */
    firstOccurredAt: number('first_occurred_at').notNull(),
    lastOccurredAt: number('last_occurred_at').notNull(),
    /** Null if too many. */
    eventNames: text('event_names').array(),
    createdAt: time('created_at').notNull().defaultNow(),
    /** The step that created it from other files. */
    madeBy: uuid('made_by'),
    /** The step that replaced it. */
    replacedBy: uuid('replaced_by'),
    /** When the file stops being read. In the future while it is being written and not read yet. */
    replacedAt: time('replaced_at'),
    /** When its object was deleted. */
    deletedAt: time('deleted_at'),
    /** Increases with each change. */
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
export const publishedFiles = offsetsTable('published_files');

/** Projects with events to erase. A row is deleted once they are erased. */
export const erasedProjects = pgTable('erased_projects', {
  projectId: text('project_id').primaryKey(),
  requestedAt: time('requested_at').notNull().defaultNow(),
});

/**
 * A row requests that `event_files` be rebuilt from the files in the object store. It is deleted once that is done.
 */
export const adoptions = pgTable('adoptions', {
  requestedAt: time('requested_at').primaryKey().defaultNow(),
});
