import { foreignKey, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { flags } from './rulesets.ts';

/** The hooks that switch a flag off. Deleting a flag deletes its hooks. */
export const flagHooks = pgTable(
  'flag_hooks',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    key: text().notNull(),
    name: text().notNull(),
    secretHash: text('secret_hash').notNull(),
    /** The secret, encrypted with WEBHOOK_SECRET, to check signatures. Null: the hook was created before it had one. */
    encryptedSecret: text('encrypted_secret'),
    createdAt: timestamp('created_at', { withTimezone: true, precision: 3, mode: 'date' })
      .notNull()
      .defaultNow(),
  },
  (table) => [
    foreignKey({
      columns: [table.projectId, table.key],
      foreignColumns: [flags.projectId, flags.key],
    }).onDelete('cascade'),
    index('flag_hooks_by_flag').on(table.projectId, table.key, table.id),
  ],
);
