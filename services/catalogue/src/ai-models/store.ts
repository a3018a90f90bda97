import type { Db, Tx } from '@switchboard/database';
import { eq, sql } from 'drizzle-orm';
import { aiMarkup, aiModels } from '../schema/index.ts';

export type AiModelRow = typeof aiModels.$inferSelect;

export interface AiModelsStore {
  /** Returns all models, ordered by the code points of their ids. */
  list(): Promise<AiModelRow[]>;
  find(id: string): Promise<AiModelRow | undefined>;
  upsert(row: AiModelRow): Promise<void>;
  remove(id: string): Promise<void>;
  /** Returns the markup in percent, or 0 if none is set. */
  readMarkup(): Promise<number>;
  /** Returns the markup and locks it until the transaction ends, because prices are checked against it. */
  lockMarkup(): Promise<number>;
  setMarkup(percent: number): Promise<void>;
}

export function createAiModelsStore(db: Db | Tx): AiModelsStore {
  return {
    async list() {
      return db.select().from(aiModels).orderBy(sql`${aiModels.id} collate "C"`);
    },

    async find(id) {
      const [row] = await db.select().from(aiModels).where(eq(aiModels.id, id));
      return row;
    },

    async upsert(row) {
      const { id, ...content } = row;
      await db.insert(aiModels).values(row).onConflictDoUpdate({ target: aiModels.id, set: content });
    },

    async remove(id) {
      await db.delete(aiModels).where(eq(aiModels.id, id));
    },

    async readMarkup() {
      const [row] = await db.select().from(aiMarkup);
      return row?.percent ?? 0;
    },

    async lockMarkup() {
      await db.insert(aiMarkup).values({}).onConflictDoNothing();
      const [row] = await db.select().from(aiMarkup).for('update');
      return row?.percent ?? 0;
    },

    async setMarkup(percent) {
      await db.update(aiMarkup).set({ percent });
    },
  };
}
