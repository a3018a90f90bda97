import { bigint, boolean, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { json } from './columns.ts';

export const plans = pgTable(
  'plans',
  {
    tier: text().notNull(),
    cycle: text().notNull(),
    /** The position of the plan in the order of creation. */
    position: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    trialDays: integer('trial_days').notNull(),
    priced: boolean().notNull(),
    entitlements: json('entitlements'),
  },
  (table) => [primaryKey({ columns: [table.tier, table.cycle] })],
);
