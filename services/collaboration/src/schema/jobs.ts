import type { Db, Tx } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import { subscriptionMails } from './subscriptions.ts';

/** Removes mails of subscriptions with their jobs. */
export async function removeMails(db: Db | Tx, which: SQL | undefined): Promise<void> {
  await removeJobs(
    db,
    await db.delete(subscriptionMails).where(which).returning({ id: subscriptionMails.id }),
  );
}

/** Removes the jobs of these deliveries, including failed ones, which contain the mail server's reply. */
export async function removeJobs(db: Db | Tx, removed: readonly { id: string }[]): Promise<void> {
  if (removed.length === 0) return;
  await db.execute(sql`
    delete from pgboss.job where data->>'id' = any(${sql.param(removed.map(({ id }) => id))}::text[])`);
}
