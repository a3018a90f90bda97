import type { ImportSource } from '@switchboard/contracts';
import { bigint, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** The imports of files with events of other products. */
export const imports = pgTable(
  'imports',
  {
    projectId: text('project_id').notNull(),
    id: text().notNull(),
    source: text().$type<ImportSource>().notNull(),
    name: text().notNull(),
    totalParts: integer('total_parts'),
    parts: integer().notNull().default(0),
    events: bigint({ mode: 'number' }).notNull().default(0),
    startedAt: time('started_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ name: 'imports_pk', columns: [table.projectId, table.id] }),
    index('imports_by_start').on(table.projectId, table.startedAt, table.id),
    index('imports_by_age').on(table.updatedAt),
  ],
);

/** The imported parts. A row is inserted in the transaction from which the file of the part is read. */
export const importParts = pgTable(
  'import_parts',
  {
    projectId: text('project_id').notNull(),
    importId: text('import_id').notNull(),
    part: integer().notNull(),
    sha256: text().notNull(),
    events: integer().notNull(),
    /** The offset of its rows. They have no place in the log, and the partition -1. */
    place: bigint({ mode: 'bigint' }).generatedByDefaultAsIdentity().notNull(),
  },
  (table) => [
    primaryKey({ name: 'import_parts_pk', columns: [table.projectId, table.importId, table.part] }),
  ],
);
