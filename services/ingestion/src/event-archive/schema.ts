import { bigint, index, integer, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'string' });
const number = (name: string) => bigint(name, { mode: 'number' });

/** Where the log has an event; `log_line` is -1 where a whole record is meant. */
const place = {
  logPartition: integer('log_partition').notNull(),
  logOffset: number('log_offset').notNull(),
  logLine: integer('log_line').notNull(),
};

/** The first place an event was seen at: that one is archived, others are duplicates. Kept for seven days. */
export const sightings = pgTable(
  'archive_sightings',
  {
    /** A hash of the project's and the event's id: there may be hundreds of millions. */
    eventKey: uuid('event_key').primaryKey(),
    ...place,
    acceptedAt: time('accepted_at').notNull(),
    seenAt: time('seen_at').notNull().defaultNow(),
  },
  (table) => [index('archive_sightings_by_age').on(table.seenAt)],
);

/** Other places of an event that was sent again. */
export const duplicates = pgTable(
  'archive_duplicates',
  {
    eventKey: uuid('event_key').notNull(),
    ...place,
    acceptedAt: time('accepted_at').notNull(),
    seenAt: time('seen_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({
      name: 'archive_duplicates_pk',
      columns: [table.eventKey, table.logPartition, table.logOffset, table.logLine],
    }),
    index('archive_duplicates_by_age').on(table.seenAt),
  ],
);

/** What could not be read and was put on the dead-letter topic. */
export const deadLetters = pgTable(
  'archive_dead_letters',
  {
    ...place,
    /** When the log took the record, in milliseconds: a topic made anew has the same offsets again. */
    recordedAt: number('recorded_at').notNull(),
    eventKey: uuid('event_key'),
    reason: text().notNull(),
    seenAt: time('seen_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({
      name: 'archive_dead_letters_pk',
      columns: [table.logPartition, table.logOffset, table.logLine, table.recordedAt],
    }),
    index('archive_dead_letters_by_event').on(table.eventKey),
    index('archive_dead_letters_by_age').on(table.seenAt),
  ],
);

/**
 * Stretches of a partition that become files together. Whoever inserts one first defines where it ends, so that all
 * who write it write the same. The times are those of its records in the log, in milliseconds: they tell the offsets
 * of a topic made anew from the old ones.
 */
export const segments = pgTable(
  'archive_segments',
  {
    logPartition: integer('log_partition').notNull(),
    firstOffset: number('first_offset').notNull(),
    firstAt: number('first_at').notNull(),
    lastOffset: number('last_offset').notNull(),
    earliestAt: number('earliest_at').notNull(),
    latestAt: number('latest_at').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    /** Set once all its files are stored. */
    storedAt: time('stored_at'),
    files: integer(),
    events: integer(),
    duplicates: integer(),
  },
  (table) => [
    primaryKey({
      name: 'archive_segments_pk',
      columns: [table.logPartition, table.firstOffset, table.firstAt],
    }),
    index('archive_segments_by_end').on(table.logPartition, table.lastOffset),
    index('archive_segments_by_age').on(table.createdAt),
  ],
);

/** How far each partition has been looked at, which is ahead of what is archived. */
export const progress = pgTable('archive_progress', {
  logPartition: integer('log_partition').primaryKey(),
  /** The next offset to look at. */
  nextOffset: number('next_offset').notNull(),
  /** Of the last record looked at: when the log took it, in milliseconds, and when it was accepted. */
  recordedAt: number('recorded_at').notNull(),
  acceptedAt: time('accepted_at').notNull(),
});
