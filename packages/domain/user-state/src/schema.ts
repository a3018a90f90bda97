import { sql } from 'drizzle-orm';
import {
  bigint,
  date,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

/** A JSON object by property name: the values, or the stamps as [timestamp, received at, offset]. */
const properties = (name: string) => json(name).notNull().default({});

/**
 * The UTC day of the last call about the person or group. A day is precise enough for retention and avoids an index
 * update for each call. Null: the row is older than this column and not backfilled yet.
 */
const seenOn = () => date('seen_on', { mode: 'string' }).default(sql`(now() at time zone 'utc')::date`);

export const people = pgTable(
  'people',
  {
    projectId: text('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    traits: properties('traits'),
    /** Includes removed traits, so that a late record cannot bring one back. */
    traitStamps: properties('trait_stamps'),
    /** The id of the person's group, by group type. */
    groups: properties('groups'),
    groupStamps: properties('group_stamps'),
    seenOn: seenOn(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.distinctId] }),
    index('people_by_age').on(table.seenOn).where(sql`${table.seenOn} is not null`),
  ],
);

export const groups = pgTable(
  'groups',
  {
    projectId: text('project_id').notNull(),
    type: text().notNull(),
    id: text().notNull(),
    traits: properties('traits'),
    traitStamps: properties('trait_stamps'),
    seenOn: seenOn(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.type, table.id] }),
    index('groups_by_age').on(table.seenOn).where(sql`${table.seenOn} is not null`),
  ],
);

/** The applied position of each partition of identifies and groups, written in the transaction that applies it. */
export const appliedPositions = pgTable(
  'applied_positions',
  {
    topic: text().notNull(),
    partition: integer().notNull(),
    nextOffset: bigint('next_offset', { mode: 'number' }).notNull(),
    /** When the newest applied record was stored. */
    asOf: timestamp('as_of', { withTimezone: true, precision: 3, mode: 'date' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.topic, table.partition] })],
);
