import { min, sql } from 'drizzle-orm';
import type { Db } from '../db.ts';
import { outbox } from '../schema.ts';

/** Age in seconds of the oldest change that is not published yet; 0 when all are. */
export async function outboxLag(db: Db): Promise<number> {
  const [row] = await db
    .select({ seconds: sql<string | null>`extract(epoch from now() - ${min(outbox.createdAt)})` })
    .from(outbox);
  return Math.max(0, Number(row?.seconds ?? 0));
}
