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

/** The percent-encoded sub in the id of a member: `company/sub`. */
export const subOf = (id: AnyPgColumn) => sql`split_part(${id}, '/', 2)`;

/** The newest revision of every entry of the directory, including removed entries. */
export const entries = directory.table(
  'entries',
  {
    kind: text().notNull(),
    id: text().notNull(),
    /** JSON, stored as text because jsonb rejects some JSON texts that entitlements may contain. Null: removed. */
    value: text(),
    revision: bigint({ mode: 'bigint' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.id] }),
    // Open erasures are queried every second among all past erasures.
    index('entries_open_erasures')
      .on(table.id)
      .where(sql`${table.kind} = 'erasure' and ${table.value} is not null`),
    index('entries_members_by_sub')
      .on(subOf(table.id))
      .where(sql`${table.kind} = 'member' and ${table.value} is not null`),
  ],
);

/** The offset to continue from in each partition. Redelivered records before it change nothing. */
export const applied = directory.table('applied', {
  partition: integer().primaryKey(),
  nextOffset: bigint('next_offset', { mode: 'bigint' }).notNull(),
});

/** The single row with the identity of this replica and the time since which it has been complete. */
export const replica = directory.table(
  'replica',
  {
    only: boolean().primaryKey().default(true),
    /** Part of the consumer group's name, so that a new database reads the topic from its start. */
    id: text().notNull().default(sql`encode(uuid_send(gen_random_uuid()), 'hex')`),
    bootstrappedAt: timestamp('bootstrapped_at', { withTimezone: true }),
    /** The last time at which the replica had applied the whole topic. */
    caughtUpAt: timestamp('caught_up_at', { withTimezone: true }),
  },
  (table) => [check('one_row', sql`${table.only}`)],
);

/** The erasures that this service has done and that the directory may still request. */
export const doneErasures = directory.table('done_erasures', {
  id: text().primaryKey(),
});
