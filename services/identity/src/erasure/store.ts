import type { Db } from '@switchboard/database';
import { eq } from 'drizzle-orm';
import { accounts, oidcRecords, passkeys, recoveryCodes, sessions, tickets } from '../schema/index.ts';

export interface ErasureStore {
  /** Removes an account with everything that belongs to it. */
  removeAccount(id: string): Promise<void>;
}

export function createErasureStore(db: Db): ErasureStore {
  return {
    async removeAccount(id) {
      await db.transaction(async (tx) => {
        await tx.delete(accounts).where(eq(accounts.id, id));
        for (const table of [oidcRecords, passkeys, recoveryCodes, sessions, tickets])
          await tx.delete(table).where(eq(table.accountId, id));
      });
    },
  };
}
