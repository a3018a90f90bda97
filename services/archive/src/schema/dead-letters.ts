import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Where the dead letters of the ingestion topics are, and how often each was replayed. The log has the records. */
export const deadLetters = pgTable(
  'dead_letters',
  {
    /** The order in which they were found. */
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    topic: text().notNull(),
    /** The place on the dead-letter topic. */
    logPartition: integer('log_partition').notNull(),
    logOffset: bigint('log_offset', { mode: 'number' }).notNull(),
    deadLetteredAt: time('dead_lettered_at').notNull(),
    reason: text().notNull(),
    projectId: text('project_id'),
    requestId: text('request_id'),
    bytes: integer().notNull(),
    replays: integer().notNull().default(0),
    replayedAt: time('replayed_at'),
  },
  (table) => [
    unique('dead_letters_place').on(table.topic, table.logPartition, table.logOffset),
    index('dead_letters_by_topic').on(table.topic, table.id),
    index('dead_letters_by_project').on(table.projectId, table.id),
    index('dead_letters_waiting').on(table.topic, table.id).where(sql`replays = 0`),
    index('dead_letters_by_age').on(table.deadLetteredAt),
  ],
);
