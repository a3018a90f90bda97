import type { Database } from '@switchboard/database';
import { sql } from 'drizzle-orm';

/** For tests: counts the rows that some queries read from the archive's tables of events, files and recordings. */
export async function rowsRead(
  database: Database,
  queries: (db: Database['drizzle']) => Promise<unknown>,
): Promise<number> {
  return database.drizzle.transaction(async (tx) => {
    const read = async () => {
      const [row] = await tx.execute<{ rows: number | bigint }>(sql`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_xact_user_tables
        where relname like any (array['%event%', 'replay%'])`);
      return Number(row?.rows);
    };
    // The server also counts earlier transactions until it has reported them.
    const before = await read();
    await queries(tx as unknown as Database['drizzle']);
    return (await read()) - before;
  });
}
