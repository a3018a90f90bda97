import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  index,
  integer,
  pgSchema,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

export const directory = pgSchema('directory');

/** The sub, percent-encoded, in the id of a member: `company/sub`. */
export const subOf = (id: AnyPgColumn) => sql`split_part(${id}, '/', 2)`;

/** Every entry of the directory as its newest revision says it, also of those that are gone. */
export const entries = directory.table(
  'entries',
  {
    kind: text().notNull(),
    id: text().notNull(),
    /** JSON; text, because jsonb refuses some JSON texts that are values of entitlements. Null: the entry is gone. */
    value: text(),
    revision: bigint({ mode: 'bigint' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.id] }),
    // They are looked for every second, among the rows of all that there ever were.
    index('entries_open_erasures')
      .on(table.id)
      .where(sql`${table.kind} = 'erasure' and ${table.value} is not null`),
    index('entries_members_by_sub')
      .on(subOf(table.id))
      .where(sql`${table.kind} = 'member' and ${table.value} is not null`),
  ],
);

/** The offset to go on from in each partition; what lies before it changes nothing when it is delivered again. */
export const applied = directory.table('applied', {
  partition: integer().primaryKey(),
  nextOffset: bigint('next_offset', { mode: 'bigint' }).notNull(),
});

/** The one row that says which replica this is, and since when it has been complete. */
export const replica = directory.table(
  'replica',
  {
    only: boolean().primaryKey().default(true),
    /** Part of the consumer group's name: a new database reads the topic from its start. */
    id: text().notNull().default(sql`encode(uuid_send(gen_random_uuid()), 'hex')`),
    bootstrappedAt: timestamp('bootstrapped_at', { withTimezone: true }),
    /** When nothing of the topic was left to apply, last. */
    caughtUpAt: timestamp('caught_up_at', { withTimezone: true }),
  },
  (table) => [check('one_row', sql`${table.only}`)],
);

/** Erasures that this service has done and that the directory may still ask for. */
export const doneErasures = directory.table('done_erasures', {
  id: text().primaryKey(),
});
