import { sql } from 'drizzle-orm';
import { bigint, boolean, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });
const texts = (name: string) => text(name).array().notNull().default(sql`'{}'`);
const count = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0);

/** One row per session with the totals of its chunks, so that lists read no chunks. Writers of a session lock it. */
export const replays = pgTable(
  'replays',
  {
    projectId: text('project_id').notNull(),
    sessionId: text('session_id').notNull(),
    /** When the first archived chunk was accepted. Never changes, so that pages are stable. */
    receivedAt: time('received_at').notNull(),
    /** The first time of the recorded events. Null until there is a chunk. */
    firstAt: time('first_at'),
    lastAt: time('last_at'),
    highestSeq: bigint('highest_seq', { mode: 'number' }).notNull().default(-1),
    /** The number of distinct seqs. Further chunks are conflicts. */
    seqs: count('seqs'),
    chunks: count('chunks'),
    events: count('events'),
    bytes: count('bytes'),
    storedBytes: count('stored_bytes'),
    duplicates: count('duplicates'),
    masked: boolean().notNull().default(true),
    /** The origins and paths of the recorded pages. */
    pages: texts('pages'),
    /** The names of the events sent during the session, up to 100. */
    eventNames: texts('event_names'),
    /** The number of errors in the console. */
    errors: count('errors'),
    /** If set, the row is a tombstone that keeps late chunks out. */
    deletedAt: time('deleted_at'),
    /** Set once the objects of a deleted session are erased. */
    erasedAt: time('erased_at'),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.sessionId] }),
    index('replays_newest')
      .on(table.projectId, table.receivedAt, table.sessionId)
      .where(sql`${table.deletedAt} is null`),
    index('replays_by_age').on(table.receivedAt).where(sql`${table.deletedAt} is null`),
    index('replays_erased').on(table.erasedAt).where(sql`${table.erasedAt} is not null`),
    index('replays_to_erase')
      .on(table.deletedAt)
      .where(sql`${table.deletedAt} is not null and ${table.erasedAt} is null`),
  ],
);

/** The people in a session. A visitor may be anonymous first and identified later. */
export const replayPeople = pgTable(
  'replay_people',
  {
    projectId: text('project_id').notNull(),
    sessionId: text('session_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    /** The `received_at` of the session. */
    receivedAt: time('received_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.sessionId, table.distinctId] }),
    index('replay_people_newest').on(table.projectId, table.distinctId, table.receivedAt, table.sessionId),
  ],
);

export const replayChunks = pgTable(
  'replay_chunks',
  {
    projectId: text('project_id').notNull(),
    sessionId: text('session_id').notNull(),
    seq: bigint({ mode: 'number' }).notNull(),
    /** The hash of the bytes. A chunk that is sent again has the same hash. */
    hash: text().notNull(),
    firstAt: time('first_at').notNull(),
    /** The log offset of the last counted copy, so that a redelivery is not counted as a duplicate. */
    logOffset: bigint('log_offset', { mode: 'bigint' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.sessionId, table.seq, table.hash] })],
);
