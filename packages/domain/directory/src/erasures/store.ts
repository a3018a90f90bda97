import { type Db, type Tx, tryLock } from '@switchboard/database';
import { and, eq, gt, isNotNull, isNull, notExists, or, type SQL, sql } from 'drizzle-orm';
import {
  type Entries,
  type ErasedPerson,
  type ErasureSubject,
  entryId,
  type Kind,
  parseEntry,
} from '../record.ts';
import { doneErasures, entries } from '../schema.ts';

const PAGE = 100;
/** Has no parameters, so that it matches the condition of the index. */
const isErasure = sql`${entries.kind} = 'erasure' and ${entries.value} is not null`;

/** Whether every service has reported. Quotes inside JSON strings are escaped, so they cannot match. */
const isSettled = sql`${entries.value} like '%"waitingFor":[]%'`;

/**
 * Yields the erasures that at least one service has not reported yet, oldest first, because ids increase. Reads them
 * in pages.
 */
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

/** Returns the people who are being erased. */
export async function readErasedPeople(db: Db | Tx): Promise<ErasedPerson[]> {
  const people: ErasedPerson[] = [];
  for await (const { subject } of readErasures(db)) if (subject.kind === 'person') people.push(subject);
  return people;
}

/**
 * Returns up to `limit` erasures of deleted projects and companies that every service has reported but this database
 * has not seen, because it is new or was restored from a backup.
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

/** Returns undefined if the directory no longer requests the erasure. */
export async function readErasure(tx: Tx, id: string): Promise<Entries['erasure'] | undefined> {
  const [row] = await tx
    .select({ value: sql<string>`${entries.value}` })
    .from(entries)
    .where(and(isErasure, eq(entries.id, id)));
  return row && parseEntry('erasure', row.value);
}

/**
 * Acquires the lock that allows one process of the service to erase. Returns false if another process holds it.
 * PostgreSQL ends a transaction that is idle for too long; see `keepLock`.
 */
export const lockErasures = (tx: Tx): Promise<boolean> => tryLock(tx, 'erase');

/** Prevents the transaction from becoming idle. Throws, which ends the transaction, if the lock is lost. */
export async function keepLock(tx: Tx): Promise<void> {
  await tx.execute(sql`select 1`);
}

export async function isErasureDone(db: Db | Tx, id: string): Promise<boolean> {
  const rows = await db.select().from(doneErasures).where(eq(doneErasures.id, id));
  return rows.length > 0;
}

/** Marks the erasure as done and deletes the marks of erasures that the directory no longer requests. */
export async function markErasureDone(tx: Tx, id: string): Promise<void> {
  const entry = tx
    .select({ id: entries.id })
    .from(entries)
    .where(and(eq(entries.kind, 'erasure'), eq(entries.id, doneErasures.id), isNotNull(entries.value)));
  await tx.delete(doneErasures).where(notExists(entry));
  await tx.insert(doneErasures).values({ id }).onConflictDoNothing();
}

/** Returns whether the replica has applied the removal of the subject. */
export async function isGone(tx: Tx, subject: ErasureSubject): Promise<boolean> {
  const owner = ownerOf(subject);
  const found = await tx
    .select({ id: entries.id })
    .from(entries)
    .where(and(or(owner, belongingTo(subject)), isNotNull(entries.value)))
    .limit(1);
  return found.length === 0;
}

/** Deletes the rows of removed entries that belong to the project or company, or have the colleague in their id. */
export async function forgetSubject(tx: Tx, subject: ErasureSubject): Promise<void> {
  await tx.delete(entries).where(and(belongingTo(subject), isNull(entries.value)));
}

/** Selects the entry of a project or company. Its row stays, so that no late record restores it. */
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
