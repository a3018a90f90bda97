import { and, asc, eq } from 'drizzle-orm';
import type { Db, Tx } from '../db.ts';
import { onePage, pageBy } from '../pages.ts';
import { companies, members, projects } from '../schema.ts';

export type CompanyRow = typeof companies.$inferSelect;
export type MemberRow = typeof members.$inferSelect;

export async function findCompany(db: Db, id: string): Promise<CompanyRow | undefined> {
  const [row] = await db.select().from(companies).where(eq(companies.id, id));
  return row;
}

export async function listCompanyRows(db: Db, cursor: string | undefined) {
  const { after, order, limit } = pageBy(companies.id, cursor);
  return onePage(await db.select().from(companies).where(after).orderBy(order).limit(limit), ({ id }) => id);
}

export async function listMemberRows(db: Db, companyId: string, cursor: string | undefined) {
  const { after, order, limit } = pageBy(members.sub, cursor);
  const ofCompany = and(eq(members.companyId, companyId), after);
  return onePage(
    await db.select().from(members).where(ofCompany).orderBy(order).limit(limit),
    ({ sub }) => sub,
  );
}

/** Locks the company against removal until the transaction ends; false when there is no such company. */
export async function holdCompany(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx
    .select({ id: companies.id })
    .from(companies)
    .where(eq(companies.id, id))
    .for('key share');
  return rows.length > 0;
}

/** Locks the company for its removal, after every transaction that holds it. */
export async function lockCompany(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx
    .select({ id: companies.id })
    .from(companies)
    .where(eq(companies.id, id))
    .for('update');
  return rows.length > 0;
}

export async function upsertCompany(tx: Tx, row: CompanyRow): Promise<void> {
  const { id, ...content } = row;
  await tx.insert(companies).values(row).onConflictDoUpdate({ target: companies.id, set: content });
}

/** Removes the company, which must have no projects left, with its members; answers their subs. */
export async function removeCompanyAndMembers(tx: Tx, id: string): Promise<string[]> {
  const gone = await tx.delete(members).where(eq(members.companyId, id)).returning({ sub: members.sub });
  await tx.delete(companies).where(eq(companies.id, id));
  return gone.map(({ sub }) => sub);
}

/** The company's projects, locked one after the other in the order of their ids. */
export async function lockProjectsOf(tx: Tx, companyId: string): Promise<string[]> {
  const rows = await tx
    .select({ id: projects.id })
    .from(projects)
    .where(eq(projects.companyId, companyId))
    .orderBy(asc(projects.id))
    .for('update');
  return rows.map(({ id }) => id);
}

const named = (companyId: string, sub: string) => and(eq(members.companyId, companyId), eq(members.sub, sub));

export async function findMember(db: Db, companyId: string, sub: string): Promise<MemberRow | undefined> {
  const [row] = await db.select().from(members).where(named(companyId, sub));
  return row;
}

export async function upsertMember(tx: Tx, row: MemberRow): Promise<void> {
  const { companyId, sub, ...content } = row;
  await tx
    .insert(members)
    .values(row)
    .onConflictDoUpdate({ target: [members.companyId, members.sub], set: content });
}

export async function removeMember(tx: Tx, companyId: string, sub: string): Promise<boolean> {
  const gone = await tx.delete(members).where(named(companyId, sub)).returning({ sub: members.sub });
  return gone.length > 0;
}
