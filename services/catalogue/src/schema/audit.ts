import type { AuditOutcome } from '@switchboard/contracts';
import { sql } from 'drizzle-orm';
import { index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { json } from './columns.ts';

/**
 * The audit trail. A trigger rejects updates to rows, and deletions of rows less than 30 days old. See the
 * migration.
 */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: text().primaryKey(),
    at: timestamp({ withTimezone: true }).notNull(),
    companyId: text('company_id'),
    projectId: text('project_id'),
    actorId: text('actor_id'),
    tokenId: text('token_id'),
    action: text().notNull(),
    object: text().notNull(),
    outcome: text().$type<AuditOutcome>().notNull(),
    entry: json('entry'),
  },
  (table) => [
    index('audit_entries_by_time').on(table.at, table.id),
    index('audit_entries_by_company').on(table.companyId, table.at, table.id),
    index('audit_entries_by_project').on(table.projectId, table.at, table.id),
    index('audit_entries_by_object').on(table.object, table.at, table.id),
    index('audit_entries_by_actor').on(table.companyId, table.actorId, table.at, table.id),
    index('audit_entries_by_token')
      .on(table.companyId, table.tokenId, table.at, table.id)
      .where(sql`${table.tokenId} is not null`),
    index('audit_entries_by_action').on(table.companyId, table.action, table.at, table.id),
    index('audit_entries_refused')
      .on(table.companyId, table.at, table.id)
      .where(sql`${table.outcome} = 'refused'`),
  ],
);
