import { sql } from 'drizzle-orm';
import type { Db, Tx } from './database.ts';

/** Shorter than the time after which PostgreSQL ends an idle transaction. */
const BEAT_MS = 5_000;

/**
 * Runs work that only one process of a database may run at a time. Returns false without running it if another
 * process runs work of this name. A process that loses its connection loses the lock before it notices, so the work
 * must tolerate two concurrent runs.
 */
export async function runAlone(db: Db, name: string, work: () => Promise<void>): Promise<boolean> {
  let beating: NodeJS.Timeout | undefined;
  try {
    return await db.transaction(async (tx) => {
      if (!(await tryLock(tx, name))) return false;
      beating = setInterval(() => void tx.execute(sql`select 1`).catch(() => undefined), BEAT_MS);
      await work();
      return true;
    });
  } finally {
    clearInterval(beating);
  }
}

/** Takes the lock of this name until the transaction ends. Returns false if another process holds it. */
export async function tryLock(tx: Tx, name: string): Promise<boolean> {
  const [row] = await tx.execute(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 7)) as taken`,
  );
  return row?.['taken'] === true;
}
