import { sql } from 'drizzle-orm';
import { bigserial, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const minute = (name: string) => timestamp(name, { withTimezone: true, precision: 0 }).notNull();

/** Every group that a group call named, or that has members. */
export const knownGroups = pgTable(
  'known_groups',
  {
    projectId: text('project_id').notNull(),
    type: text().notNull(),
    id: text().notNull(),
    /** The number of its rows in `group_members`. */
    members: integer().notNull().default(0),
    /** The minutes of the first and the last group call that names it. */
    firstSeenAt: minute('first_seen_at'),
    lastSeenAt: minute('last_seen_at'),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.type, table.id] }),
    // Finds the beginning of an id, whatever the collation of the database.
    index('known_groups_by_id').on(table.projectId, table.id.op('text_pattern_ops')),
    index('known_groups_by_last').on(table.projectId, table.lastSeenAt, table.type, table.id),
    index('known_groups_by_members').on(table.projectId, table.members, table.type, table.id),
    index('known_groups_by_age').on(table.lastSeenAt).where(sql`${table.members} = 0`),
  ],
);

/** The groups of each person, by the id that names the person: the newest of each type. */
export const groupMembers = pgTable(
  'group_members',
  {
    projectId: text('project_id').notNull(),
    type: text().notNull(),
    id: text().notNull(),
    personId: text('person_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.type, table.id, table.personId] }),
    index('group_members_by_person').on(table.projectId, table.personId),
  ],
);

/** Ids of which the groups or the person changed, written by triggers, until their groups are counted. */
export const uncountedIds = pgTable('uncounted_ids', {
  revision: bigserial({ mode: 'bigint' }).primaryKey(),
  projectId: text('project_id').notNull(),
  distinctId: text('distinct_id').notNull(),
});
