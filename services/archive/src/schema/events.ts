import { sql } from 'drizzle-orm';
import {
  bigint,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'string' });
const number = (name: string) => bigint(name, { mode: 'number' });

/** The place of an event in the log. `log_line` is -1 for a whole record. */
const place = {
  logPartition: integer('log_partition').notNull(),
  logOffset: number('log_offset').notNull(),
  logLine: integer('log_line').notNull(),
};

/**
 * The days that `seen_events` and `duplicate_events` have a partition for. All rows go to the partition of the
 * last day. A day ends for all writers at once when the next begins, under a lock that waits for their
 * statements.
 */
export const seenDays = pgTable('seen_days', { day: date({ mode: 'string' }).primaryKey() });

/**
 * The first place of each event. That copy is archived, and others are duplicates. Partitioned by day, with a
 * separate primary key for each: a row is inserted if no earlier day has its key.
 */
export const seenEvents = pgTable('seen_events', {
  /** A hash of project id and event id, because there may be hundreds of millions of rows. */
  eventKey: uuid('event_key').notNull(),
  ...place,
  acceptedAt: time('accepted_at').notNull(),
  day: date({ mode: 'string' }).notNull().default(sql`(now() at time zone 'utc')::date`),
});

/** Further places of events that were sent again. Partitioned like `seen_events`. */
export const duplicateEvents = pgTable('duplicate_events', {
  eventKey: uuid('event_key').notNull(),
  ...place,
  acceptedAt: time('accepted_at').notNull(),
  day: date({ mode: 'string' }).notNull().default(sql`(now() at time zone 'utc')::date`),
});

/** Lines and records that could not be decoded and are on the dead-letter topic. */
export const eventDeadLetters = pgTable(
  'event_dead_letters',
  {
    ...place,
    /** The record's log timestamp in milliseconds, because a recreated topic reuses offsets. */
    recordedAt: number('recorded_at').notNull(),
    eventKey: uuid('event_key'),
    reason: text().notNull(),
    seenAt: time('seen_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({
      name: 'event_dead_letters_pk',
      columns: [table.logPartition, table.logOffset, table.logLine, table.recordedAt],
    }),
    index('event_dead_letters_by_event').on(table.eventKey),
    index('event_dead_letters_by_age').on(table.seenAt),
  ],
);

/**
 * Runs of consecutive records that are written to files together. The first insert fixes the end, so that every
 * writer produces the same files. Times are the records' log timestamps in milliseconds. They distinguish the
 * offsets of a recreated topic from the old ones.
 */
export const eventSegments = pgTable(
  'event_segments',
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
      name: 'event_segments_pk',
      columns: [table.logPartition, table.firstOffset, table.firstAt],
    }),
    index('event_segments_by_end').on(table.logPartition, table.lastOffset),
    index('event_segments_by_age').on(table.createdAt),
  ],
);

/** How far each partition has been read, which is ahead of the archived position. */
export const eventProgress = pgTable('event_progress', {
  logPartition: integer('log_partition').primaryKey(),
  /** The next offset to read. */
  nextOffset: number('next_offset').notNull(),
  /** Log timestamp of the last record read, in milliseconds. */
  recordedAt: number('recorded_at').notNull(),
  /** When the last event read was accepted. */
  acceptedAt: time('accepted_at').notNull(),
});
