import type { Db, Tx } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/** A table of waiting records, with the columns `id`, which increases, and `created_at`. */
type QueueTable = PgTable;

/** Returns the age of the oldest row in seconds, or 0 if the table is empty. */
export async function oldestAgeSeconds(db: Db, table: QueueTable): Promise<number> {
  const [row] = await db.execute(sql`
    select extract(epoch from now() - created_at) as seconds from ${table} order by id limit 1`);
  return Math.max(0, Number(row?.['seconds'] ?? 0));
}

export async function removeRows(db: Db | Tx, table: QueueTable, ids: readonly bigint[]): Promise<void> {
  await db.execute(sql`delete from ${table} where id = any(${sql.param(ids.map(String))}::text[]::bigint[])`);
}
