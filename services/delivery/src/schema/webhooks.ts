import type { InferSelectModel } from 'drizzle-orm';
import { boolean, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** The webhooks of each project, with the state of their endpoints. */
export const webhooks = pgTable(
  'webhooks',
  {
    projectId: text('project_id').notNull(),
    id: text().notNull(),
    /** Null once it is encrypted. */
    url: text(),
    encryptedUrl: text('encrypted_url'),
    description: text().notNull(),
    format: text({ enum: ['standard', 'slack', 'discord', 'teams'] })
      .notNull()
      .default('standard'),
    types: text().array().notNull(),
    /** JSON of the chosen events. */
    events: text().notNull(),
    /** The cohorts that it watches. */
    cohorts: text().array().notNull().default([]),
    enabled: boolean().notNull(),
    ordered: boolean().notNull(),
    /** Encrypted. */
    secret: text().notNull(),
    /** Encrypted. Signs too until `previousUntil`. */
    previousSecret: text('previous_secret'),
    previousUntil: time('previous_until'),
    disabledReason: text('disabled_reason'),
    failingSince: time('failing_since'),
    /** Until then, the endpoint asked for no messages with Retry-After. */
    pausedUntil: time('paused_until'),
    discarded: integer().notNull().default(0),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.id] })],
);

/** A webhook as it is stored. */
export type WebhookRow = InferSelectModel<typeof webhooks>;
