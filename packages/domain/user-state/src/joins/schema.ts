import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  date,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core';

/** The facts about each distinct id from which its person follows. An id without a row is a person of its own. */
export const identities = pgTable(
  'identities',
  {
    projectId: text('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    /** Whether it was ever the distinct id of an identify call. */
    isKnown: boolean('is_known').notNull().default(false),
    /** The first identify call that names it as its anonymous id: its timestamp in milliseconds, and its distinct id. */
    claimedAt: bigint('claimed_at', { mode: 'number' }),
    claimedBy: text('claimed_by'),
    isBeyondBound: boolean('is_beyond_bound').notNull().default(false),
    /** A colleague's decision: when, about which id, by whom, and the id that it is joined to; null for none. */
    decidedAt: bigint('decided_at', { mode: 'number' }),
    decidedTo: text('decided_to'),
    decidedFor: text('decided_for'),
    decidedBy: text('decided_by'),
    /** Whether the decision replaces one that the id is a person of its own. */
    wasAlone: boolean('was_alone').notNull().default(false),
    /** The id that names the person, if the person has several ids. */
    personId: text('person_id'),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.distinctId] }),
    index('identities_by_claim')
      .on(table.projectId, table.claimedBy)
      .where(sql`${table.claimedBy} is not null`),
    index('identities_by_colleague').on(table.decidedBy).where(sql`${table.decidedBy} is not null`),
  ],
);

/** The persons with several ids: the ids, and their traits and groups folded by time. */
export const persons = pgTable(
  'persons',
  {
    projectId: text('project_id').notNull(),
    /** One of the ids. */
    personId: text('person_id').notNull(),
    ids: text().array().notNull(),
    /** Kept, so that a claim that the person has no room for is refused without reading the ids. */
    idsCount: integer('ids_count').notNull().generatedAlwaysAs(sql`cardinality(ids)`),
    traits: json().notNull().default({}),
    traitStamps: json('trait_stamps').notNull().default({}),
    groups: json().notNull().default({}),
    groupStamps: json('group_stamps').notNull().default({}),
    /** The UTC day of the last call about any of the ids. */
    seenOn: date('seen_on', { mode: 'string' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.personId] }),
    index('persons_by_age').on(table.seenOn),
  ],
);

/** The distinct ids that were joined or parted since they were last published to the topic `people`. */
export const unpublishedPeople = pgTable(
  'unpublished_people',
  {
    projectId: text('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    /** Increases with each change. */
    revision: bigserial({ mode: 'bigint' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.distinctId] }),
    index('unpublished_people_by_revision').on(table.revision),
  ],
);
