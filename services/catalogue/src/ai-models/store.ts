import { eq, sql } from 'drizzle-orm';
import type { Db, Tx } from '../db.ts';
import { aiMarkup, aiModels } from '../schema.ts';

export type ModelRow = typeof aiModels.$inferSelect;

/** All models by id, in the order of code points. */
export function listModelRows(db: Db | Tx): Promise<ModelRow[]> {
  return db.select().from(aiModels).orderBy(sql`${aiModels.id} collate "C"`);
}

export async function findModel(db: Db, id: string): Promise<ModelRow | undefined> {
  const [row] = await db.select().from(aiModels).where(eq(aiModels.id, id));
  return row;
}

export async function upsertModel(tx: Tx, row: ModelRow): Promise<void> {
  const { id, ...content } = row;
  await tx.insert(aiModels).values(row).onConflictDoUpdate({ target: aiModels.id, set: content });
}

export async function removeModel(tx: Tx, id: string): Promise<void> {
  await tx.delete(aiModels).where(eq(aiModels.id, id));
}

export async function readMarkup(db: Db | Tx): Promise<number> {
  const [row] = await db.select().from(aiMarkup);
  return row?.percent ?? 0;
}

/** The markup, which stays as it is until the transaction ends: prices are judged against it. */
export async function lockMarkup(tx: Tx): Promise<number> {
  await tx.insert(aiMarkup).values({}).onConflictDoNothing();
  const [row] = await tx.select().from(aiMarkup).for('update');
  return row?.percent ?? 0;
}

export async function setMarkup(tx: Tx, percent: number): Promise<void> {
  await tx.update(aiMarkup).set({ percent });
}
