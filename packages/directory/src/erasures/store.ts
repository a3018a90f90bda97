import type { Db, Tx } from '@switchboard/database';
import { and, eq, gt, isNotNull, isNull, notExists, sql } from 'drizzle-orm';
import { type Entries, entryId, parseEntry } from '../record.ts';
import { doneErasures, entries } from '../schema.ts';

/** Any number that nothing else in a service's database uses. */
const ERASURES_LOCK = 7_215_330_984;

const PAGE = 100;
/** Without parameters, as in the index on these. */
const isErasure = sql`${entries.kind} = 'erasure' and ${entries.value} is not null`;

/** The erasures that some service has not reported yet, oldest first: their ids grow. Read in pages. */
export async function* readErasures(db: Db | Tx): AsyncGenerator<Entries['erasure']> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: { id: string; value: string }[] = await db
      .select({ id: entries.id, value: sql<string>`${entries.value}` })
      .from(entries)
      .where(and(isErasure, gt(entries.id, after)))
      .orderBy(entries.id)
      .limit(PAGE);
    for (const { value } of page) yield parseEntry('erasure', value);
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
  }
}

/** Undefined when every service has reported it. */
export async function readErasure(tx: Tx, id: string): Promise<Entries['erasure'] | undefined> {
  const [row] = await tx
    .select({ value: sql<string>`${entries.value}` })
    .from(entries)
    .where(and(isErasure, eq(entries.id, id)));
  return row && parseEntry('erasure', row.value);
}

/**
 * Takes the lock that one process of the service holds while it erases; false when another has it. PostgreSQL ends a
 * transaction that is idle for too long: see `keepLock`.
 */
export async function lockErasures(tx: Tx): Promise<boolean> {
  const [row] = await tx.execute(sql`select pg_try_advisory_xact_lock(${ERASURES_LOCK}) as taken`);
  return row?.['taken'] === true;
}

/** Keeps the transaction from being idle. Throws, and ends it, when the lock is lost. */
export async function keepLock(tx: Tx): Promise<void> {
  await tx.execute(sql`select 1`);
}

export async function isErasureDone(db: Db | Tx, id: string): Promise<boolean> {
  const rows = await db.select().from(doneErasures).where(eq(doneErasures.id, id));
  return rows.length > 0;
}

/** Also forgets those that the directory no longer asks for. */
export async function markErasureDone(tx: Tx, id: string): Promise<void> {
  const entry = tx
    .select({ id: entries.id })
    .from(entries)
    .where(and(eq(entries.kind, 'erasure'), eq(entries.id, doneErasures.id), isNotNull(entries.value)));
  await tx.delete(doneErasures).where(notExists(entry));
  await tx.insert(doneErasures).values({ id }).onConflictDoNothing();
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
