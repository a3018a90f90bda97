import type { Db } from '@switchboard/database';
import { and, asc, eq } from 'drizzle-orm';
import { passkeys } from '../schema/index.ts';

export type PasskeyRow = typeof passkeys.$inferSelect;

export interface PasskeysStore {
  /** Returns false if the passkey exists. */
  insert(row: Omit<PasskeyRow, 'createdAt' | 'usedAt'>): Promise<boolean>;
  find(id: string): Promise<PasskeyRow | undefined>;
  list(accountId: string): Promise<PasskeyRow[]>;
  noteUse(id: string, counter: number, at: Date): Promise<void>;
  remove(accountId: string, id: string): Promise<void>;
}

export function createPasskeysStore(db: Db): PasskeysStore {
  return {
    async insert(row) {
      const stored = await db
        .insert(passkeys)
        .values(row)
        .onConflictDoNothing()
        .returning({ id: passkeys.id });
      return stored.length > 0;
    },

    async find(id) {
      const [row] = await db.select().from(passkeys).where(eq(passkeys.id, id));
      return row;
    },

    list: (accountId) =>
      db.select().from(passkeys).where(eq(passkeys.accountId, accountId)).orderBy(asc(passkeys.createdAt)),

    async noteUse(id, counter, usedAt) {
      await db.update(passkeys).set({ counter, usedAt }).where(eq(passkeys.id, id));
    },

    async remove(accountId, id) {
      await db.delete(passkeys).where(and(eq(passkeys.accountId, accountId), eq(passkeys.id, id)));
    },
  };
}
