import { bigint, pgSchema, text, timestamp } from 'drizzle-orm/pg-core';

export const audit = pgSchema('audit');

/** Entries that are not published yet, each written with the change that it tells of. */
export const outbox = audit.table('outbox', {
  id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  /** JSON; text, because jsonb refuses some JSON texts. */
  entry: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});
