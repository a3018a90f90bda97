import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Db, Tx } from '../db.ts';
import { onePage, pageBy } from '../pages.ts';
import { projectKeys, projects, reports } from '../schema.ts';

export type ProjectRow = typeof projects.$inferSelect;
export type ReportRow = typeof reports.$inferSelect;

export async function findProject(db: Db, id: string): Promise<ProjectRow | undefined> {
  const [row] = await db.select().from(projects).where(eq(projects.id, id));
  return row;
}

export async function listProjectRows(db: Db, companyId: string, cursor: string | undefined) {
  const { after, order, limit } = pageBy(projects.id, cursor);
  const ofCompany = and(eq(projects.companyId, companyId), after);
  return onePage(
    await db.select().from(projects).where(ofCompany).orderBy(order).limit(limit),
    ({ id }) => id,
  );
}

/** The project, locked against removal and change until the transaction ends. */
export async function holdProject(tx: Tx, id: string): Promise<ProjectRow | undefined> {
  const [row] = await tx.select().from(projects).where(eq(projects.id, id)).for('key share');
  return row;
}

/** The project, locked for its change or removal, after every transaction that holds it. */
export async function lockProject(tx: Tx, id: string): Promise<ProjectRow | undefined> {
  const [row] = await tx.select().from(projects).where(eq(projects.id, id)).for('update');
  return row;
}

/** From here on the project is there and nobody removes it: one that was there is locked, and stays as it is. */
export async function insertProjectIfMissing(tx: Tx, row: ProjectRow): Promise<void> {
  await tx
    .insert(projects)
    .values(row)
    .onConflictDoUpdate({ target: projects.id, set: { id: row.id } });
}

export async function updateProject(tx: Tx, { id, ...content }: ProjectRow): Promise<void> {
  await tx.update(projects).set(content).where(eq(projects.id, id));
}

/** Removes projects with their keys and reports; answers the keys and reports that went. */
export async function removeProjectRows(tx: Tx, ids: string[]) {
  const keys = await tx
    .delete(projectKeys)
    .where(inArray(projectKeys.projectId, ids))
    .returning({ key: projectKeys.key });
  const goneReports = await tx
    .delete(reports)
    .where(inArray(reports.projectId, ids))
    .returning({ projectId: reports.projectId, id: reports.id });
  await tx.delete(projects).where(inArray(projects.id, ids));
  return { keys: keys.map(({ key }) => key), reports: goneReports };
}

export async function hasKeys(tx: Tx, projectId: string): Promise<boolean> {
  const rows = await tx
    .select({ key: projectKeys.key })
    .from(projectKeys)
    .where(eq(projectKeys.projectId, projectId))
    .limit(1);
  return rows.length > 0;
}

/** The keys of a project, oldest first. */
export async function listKeys(db: Db, projectId: string): Promise<string[]> {
  const rows = await db
    .select({ key: projectKeys.key })
    .from(projectKeys)
    .where(eq(projectKeys.projectId, projectId))
    .orderBy(asc(projectKeys.createdAt), asc(projectKeys.key));
  return rows.map(({ key }) => key);
}

export async function insertKey(tx: Tx, row: { key: string; projectId: string }): Promise<void> {
  await tx.insert(projectKeys).values(row);
}

export async function removeKey(tx: Tx, projectId: string, key: string): Promise<boolean> {
  const gone = await tx
    .delete(projectKeys)
    .where(and(eq(projectKeys.key, key), eq(projectKeys.projectId, projectId)))
    .returning({ key: projectKeys.key });
  return gone.length > 0;
}

export async function listReportRows(db: Db, projectId: string, cursor: string | undefined) {
  const { after, order, limit } = pageBy(reports.id, cursor);
  const ofProject = and(eq(reports.projectId, projectId), after);
  return onePage(
    await db.select().from(reports).where(ofProject).orderBy(order).limit(limit),
    ({ id }) => id,
  );
}

const named = (projectId: string, id: string) => and(eq(reports.projectId, projectId), eq(reports.id, id));

export async function findReport(db: Db, projectId: string, id: string): Promise<ReportRow | undefined> {
  const [row] = await db.select().from(reports).where(named(projectId, id));
  return row;
}

export async function upsertReport(tx: Tx, row: ReportRow): Promise<void> {
  await tx
    .insert(reports)
    .values(row)
    .onConflictDoUpdate({ target: [reports.projectId, reports.id], set: { name: row.name } });
}

export async function removeReport(tx: Tx, projectId: string, id: string): Promise<boolean> {
  const gone = await tx.delete(reports).where(named(projectId, id)).returning({ id: reports.id });
  return gone.length > 0;
}
