import { bigint, pgSchema, text } from 'drizzle-orm/pg-core';

/**
 * The DuckLake catalogue of the archive's files (https://ducklake.select/docs/stable/specification/introduction), for
 * readers outside. Its other tables are views over `event_files`, created by the migration of this table, so that the
 * catalogue changes in the transactions that replace files. Change them with CREATE OR REPLACE, which keeps the rights
 * of readers, and increase `schema_version` if columns are added.
 */
export const lake = pgSchema('lake');

/** Facts about the catalogue, such as where the files are. */
export const lakeMetadata = lake.table('ducklake_metadata', {
  key: text().primaryKey(),
  value: text().notNull(),
  /** Always null: the facts are about the whole catalogue. */
  scope: text(),
  scopeId: bigint('scope_id', { mode: 'number' }),
});
