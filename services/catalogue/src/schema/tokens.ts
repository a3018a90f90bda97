import { sql } from 'drizzle-orm';
import { index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { createdAt, json } from './columns.ts';
import { companies } from './companies.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Personal access tokens and service tokens. */
export const apiTokens = pgTable(
  'api_tokens',
  {
    id: text().primaryKey(),
    companyId: text('company_id')
      .notNull()
      .references(() => companies.id),
    kind: text({ enum: ['personal', 'service'] }).notNull(),
    name: text().notNull(),
    /** The person that a personal token acts as. Null for a service token. */
    sub: text(),
    createdBy: text('created_by'),
    /** The sub of the person who last rotated the token. */
    rotatedBy: text('rotated_by'),
    permissions: json('permissions'),
    /** JSON. Null: all projects of the company, and the company itself. */
    projectIds: text('project_ids'),
    /** The SHA-256 of the value, base64url. */
    hash: text().notNull(),
    /** The hash of the value before rotation. */
    previousHash: text('previous_hash'),
    previousUntil: moment('previous_until'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    rotatedAt: moment('rotated_at'),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    index('api_tokens_by_company').on(table.companyId, table.id),
    index('api_tokens_by_sub').on(table.sub).where(sql`${table.sub} is not null`),
    index('api_tokens_by_creator').on(table.createdBy).where(sql`${table.createdBy} is not null`),
  ],
);
