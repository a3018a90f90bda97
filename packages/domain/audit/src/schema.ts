import { bigint, pgSchema, text, timestamp } from 'drizzle-orm/pg-core';

export const audit = pgSchema('audit');

/** The entries that are not published yet. Each is written in the same transaction as the change it describes. */
export const outbox = audit.table('outbox', {
  id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  /** JSON, stored as text because jsonb rejects some JSON texts. */
  entry: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});
