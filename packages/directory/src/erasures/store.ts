import type { Db, Tx } from '@switchboard/database';
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { type Entries, entryId, parseEntry } from '../record.ts';
import { entries } from '../schema.ts';

/** Any number that nothing else in a service's database uses. */
const ERASURES_LOCK = 7_215_330_984;

/** The erasures that some service has not reported yet, oldest first: their ids grow. */
export async function readErasures(db: Db | Tx): Promise<Entries['erasure'][]> {
  const rows = await db
    .select({ value: sql<string>`${entries.value}` })
    .from(entries)
    .where(and(eq(entries.kind, 'erasure'), isNotNull(entries.value)))
    .orderBy(entries.id);
  return rows.map(({ value }) => parseEntry('erasure', value));
}

/**
 * Takes the lock that one process of the service holds while it erases; false when another has it. The transaction may
 * then be idle for as long as the erasure takes.
 */
export async function lockErasures(tx: Tx): Promise<boolean> {
  const [row] = await tx.execute(sql`select pg_try_advisory_xact_lock(${ERASURES_LOCK}) as taken`);
  if (row?.['taken'] !== true) return false;
  await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
  return true;
}

/**
 * Removes the rows that say that a colleague was a member, which name the colleague too. False while the replica has
 * the colleague as a member.
 */
export async function forgetMember(tx: Tx, sub: string): Promise<boolean> {
  const isOfColleague = and(
    eq(entries.kind, 'member'),
    sql`split_part(${entries.id}, '/', 2) = ${entryId(sub)}`,
  );
  const [current] = await tx
    .select({ id: entries.id })
    .from(entries)
    .where(and(isOfColleague, isNotNull(entries.value)))
    .limit(1);
  if (current !== undefined) return false;
  await tx.delete(entries).where(and(isOfColleague, isNull(entries.value)));
  return true;
}
