import type { FlagDefinition, FlagPatch } from '@switchboard/contracts';
import { sql } from 'drizzle-orm';
import { boolean, index, integer, json, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** Pending and failed changes of flags. A change is removed when it is applied. */
export const scheduledChanges = pgTable(
  'scheduled_changes',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    key: text().notNull(),
    at: time('at').notNull(),
    /** A row has either a definition or a patch. */
    definition: json().$type<FlagDefinition>(),
    patch: json().$type<FlagPatch>(),
    reason: text(),
    ifVersion: integer('if_version'),
    /** Null if erased. */
    author: text(),
    /** The id of the personal or service token that the change was scheduled with. */
    tokenId: text('token_id'),
    /** Whether the change was scheduled with an access token that grants it in every company. */
    everywhere: boolean().notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    /** The people who approved the change. An item is null if erased. Null: no one did. */
    approvedBy: text('approved_by').array().$type<(string | null)[]>(),
    failedAt: time('failed_at'),
    failure: text(),
  },
  (table) => [
    index('scheduled_changes_by_project').on(table.projectId, table.at, table.id),
    index('scheduled_changes_due').on(table.at, table.id).where(sql`${table.failedAt} is null`),
    index('scheduled_changes_by_author').on(table.author),
    index('scheduled_changes_by_approver')
      .using('gin', table.approvedBy)
      .where(sql`${table.approvedBy} is not null`),
  ],
);
