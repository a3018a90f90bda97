import type { Db, Tx } from '@switchboard/database';
import { and, eq, gt, isNotNull, isNull, notExists, or, type SQL, sql } from 'drizzle-orm';
import { type Entries, type ErasureSubject, entryId, type Kind, parseEntry } from '../record.ts';
import { doneErasures, entries } from '../schema.ts';

/** Any number that nothing else in a service's database uses. */
const ERASURES_LOCK = 7_215_330_984;

const PAGE = 100;
/** Without parameters, as in the index on these. */
const isErasure = sql`${entries.kind} = 'erasure' and ${entries.value} is not null`;

/** Every service has reported it. In a text the quotes are escaped. */
const isSettled = sql`${entries.value} like '%"waitingFor":[]%'`;

/** The erasures that some service has not reported yet, oldest first: their ids grow. Read in pages. */
export async function* readErasures(db: Db | Tx): AsyncGenerator<Entries['erasure']> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: { id: string; value: string }[] = await db
      .select({ id: entries.id, value: sql<string>`${entries.value}` })
      .from(entries)
      .where(and(isErasure, sql`not ${isSettled}`, gt(entries.id, after)))
      .orderBy(entries.id)
      .limit(PAGE);
    for (const { value } of page) yield parseEntry('erasure', value);
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
  }
}

/**
 * Up to so many erasures of deleted projects and companies that every service has reported and this database has not
 * seen: it is new, or was restored from a backup.
 */
export async function readUnseenErasures(db: Db | Tx, limit: number): Promise<Entries['erasure'][]> {
  const done = db.select().from(doneErasures).where(eq(doneErasures.id, entries.id));
  const rows = await db
    .select({ value: sql<string>`${entries.value}` })
    .from(entries)
    .where(and(isErasure, isSettled, notExists(done)))
    .orderBy(entries.id)
    .limit(limit);
  return rows.map(({ value }) => parseEntry('erasure', value));
}

/** Undefined when the directory no longer asks for it. */
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

/** Whether the replica has applied the removal of what is erased. */
export async function isGone(tx: Tx, subject: ErasureSubject): Promise<boolean> {
  const owner = ownerOf(subject);
  const found = await tx
    .select({ id: entries.id })
    .from(entries)
    .where(and(or(owner, belongingTo(subject)), isNotNull(entries.value)))
    .limit(1);
  return found.length === 0;
}

/** Removes the rows of removed entries whose ids name the colleague, or belong to the project or company. */
export async function forgetSubject(tx: Tx, subject: ErasureSubject): Promise<void> {
  await tx.delete(entries).where(and(belongingTo(subject), isNull(entries.value)));
}

/** The entry of a project or company; its row stays, so that no late record brings it back. */
function ownerOf(subject: ErasureSubject): SQL | undefined {
  if (subject.kind === 'project')
    return and(eq(entries.kind, 'project'), eq(entries.id, entryId(subject.projectId)));
  if (subject.kind === 'company')
    return and(eq(entries.kind, 'company'), eq(entries.id, entryId(subject.companyId)));
  return undefined;
}

function belongingTo(subject: ErasureSubject): SQL {
  const has = (kind: Kind, part: number, identifier: string) =>
    sql`(${entries.kind} = ${kind} and split_part(${entries.id}, '/', ${part}) = ${entryId(identifier)})`;
  switch (subject.kind) {
    case 'person':
      return sql`false`;
    case 'colleague':
      return has('member', 2, subject.sub);
    case 'project':
      return has('report', 1, subject.projectId);
    case 'company':
      return has('member', 1, subject.companyId);
  }
}
