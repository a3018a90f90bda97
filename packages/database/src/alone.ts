import { sql } from 'drizzle-orm';
import type { Db } from './database.ts';

/** More often than PostgreSQL ends a transaction that is idle. */
const BEAT_MS = 5_000;

/**
 * Does work that one process of a database does at a time; false, and nothing is done, while another does work of this
 * name. A process that loses its connection loses the lock before it notices: the work has to survive two at once.
 */
export async function runAlone(db: Db, name: string, work: () => Promise<void>): Promise<boolean> {
  let beating: NodeJS.Timeout | undefined;
  try {
    return await db.transaction(async (tx) => {
      const [row] = await tx.execute(
        sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 7)) as taken`,
      );
      if (row?.['taken'] !== true) return false;
      beating = setInterval(() => void tx.execute(sql`select 1`).catch(() => undefined), BEAT_MS);
      await work();
      return true;
    });
  } finally {
    clearInterval(beating);
  }
}
