import { bigint, date, foreignKey, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { flags } from './rulesets.ts';

const served = {
  projectId: text('project_id').notNull(),
  key: text().notNull(),
  /** The key of a variation, `on` or `off`. */
  variation: text().notNull(),
};
/** The day in UTC. */
const day = date({ mode: 'string' }).notNull();
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' }).notNull();

// Deleting a flag deletes its usage, so that a new flag of that key starts without.

/** The evaluations of a flag by variation and hour, a row for each day. */
export const flagUsageHours = pgTable(
  'flag_usage_hours',
  {
    ...served,
    day,
    /** 24 counts. */
    counts: bigint({ mode: 'number' }).array().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.key, table.day, table.variation] }),
    foreignKey({
      columns: [table.projectId, table.key],
      foreignColumns: [flags.projectId, flags.key],
    }).onDelete('cascade'),
    index('flag_usage_hours_by_day').on(table.day),
  ],
);

/** The evaluations of a flag by variation and day. */
export const flagUsageDays = pgTable(
  'flag_usage_days',
  { ...served, day, count: bigint({ mode: 'number' }).notNull() },
  (table) => [
    primaryKey({ columns: [table.projectId, table.key, table.day, table.variation] }),
    foreignKey({
      columns: [table.projectId, table.key],
      foreignColumns: [flags.projectId, flags.key],
    }).onDelete('cascade'),
    index('flag_usage_days_by_day').on(table.day, table.projectId),
  ],
);

/** When a flag served a variation first and last. */
export const flagSeen = pgTable(
  'flag_seen',
  { ...served, firstAt: time('first_at'), lastAt: time('last_at') },
  (table) => [
    primaryKey({ columns: [table.projectId, table.key, table.variation] }),
    foreignKey({
      columns: [table.projectId, table.key],
      foreignColumns: [flags.projectId, flags.key],
    }).onDelete('cascade'),
  ],
);
