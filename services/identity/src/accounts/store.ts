import type { Db, Tx } from '@switchboard/database';
import { and, eq, isNull, lt, notExists, sql } from 'drizzle-orm';
import { accounts, passkeys, recoveryCodes, scimUsers, upstreamAccounts } from '../schema/index.ts';

export type AccountRow = typeof accounts.$inferSelect;

export interface AccountsStore {
  find(id: string): Promise<AccountRow | undefined>;
  findByEmail(email: string): Promise<AccountRow | undefined>;
  /** Notes the first use. */
  noteUse(id: string, at: Date): Promise<void>;
  /** Removes an account that was never used and has no factor, no provider and no SCIM user. */
  removeUnused(id: string): Promise<void>;
  /** Returns false if another account has the address. */
  changeEmail(id: string, email: string): Promise<boolean>;
  /** Returns undefined if an account has the address. */
  insert(row: Pick<AccountRow, 'id' | 'email' | 'name' | 'permissions'>): Promise<AccountRow | undefined>;
  isEmpty(): Promise<boolean>;
  /** Runs work with the store if there is no account, one caller at a time. Returns undefined otherwise. */
  whileEmpty<T>(work: (store: AccountsStore) => Promise<T>): Promise<T | undefined>;
  setPassword(id: string, password: string): Promise<void>;
  setTotp(id: string, secret: string | null): Promise<void>;
  /** Returns false if a code of this step or a later one was used. */
  takeTotpStep(id: string, step: number): Promise<boolean>;
  replaceRecoveryCodes(id: string, hashes: readonly string[]): Promise<void>;
  /** Returns false if the code does not exist or was used. */
  takeRecoveryCode(id: string, hash: string): Promise<boolean>;
}

export function createAccountsStore(db: Db | Tx): AccountsStore {
  return {
    async find(id) {
      const [row] = await db.select().from(accounts).where(eq(accounts.id, id));
      return row;
    },

    async findByEmail(email) {
      const [row] = await db.select().from(accounts).where(eq(accounts.email, email));
      return row;
    },

    async noteUse(id, usedAt) {
      await db
        .update(accounts)
        .set({ usedAt })
        .where(and(eq(accounts.id, id), isNull(accounts.usedAt)));
    },

    async removeUnused(id) {
      const belonging = (table: typeof passkeys | typeof upstreamAccounts | typeof scimUsers) =>
        notExists(db.select({ id: table.accountId }).from(table).where(eq(table.accountId, id)));
      await db
        .delete(accounts)
        .where(
          and(
            eq(accounts.id, id),
            isNull(accounts.usedAt),
            isNull(accounts.password),
            belonging(passkeys),
            belonging(upstreamAccounts),
            belonging(scimUsers),
          ),
        );
    },

    async changeEmail(id, email) {
      return db.transaction(async (tx) => {
        const [other] = await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.email, email));
        if (other !== undefined) return other.id === id;
        await tx.update(accounts).set({ email }).where(eq(accounts.id, id));
        return true;
      });
    },

    async insert(row) {
      const [stored] = await db.insert(accounts).values(row).onConflictDoNothing().returning();
      return stored;
    },

    async isEmpty() {
      const found = await db.select({ id: accounts.id }).from(accounts).limit(1);
      return found.length === 0;
    },

    whileEmpty: (work) =>
      db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('first account', 0))`);
        const own = createAccountsStore(tx);
        return (await own.isEmpty()) ? work(own) : undefined;
      }),

    async setPassword(id, password) {
      await db.update(accounts).set({ password }).where(eq(accounts.id, id));
    },

    async setTotp(id, totpSecret) {
      await db.update(accounts).set({ totpSecret }).where(eq(accounts.id, id));
    },

    async takeTotpStep(id, step) {
      const taken = await db
        .update(accounts)
        .set({ totpStep: step })
        .where(and(eq(accounts.id, id), lt(accounts.totpStep, step)))
        .returning({ id: accounts.id });
      return taken.length > 0;
    },

    async replaceRecoveryCodes(id, hashes) {
      await db.transaction(async (tx) => {
        await tx.delete(recoveryCodes).where(eq(recoveryCodes.accountId, id));
        if (hashes.length > 0)
          await tx.insert(recoveryCodes).values(hashes.map((hash) => ({ accountId: id, hash })));
      });
    },

    async takeRecoveryCode(id, hash) {
      const taken = await db
        .delete(recoveryCodes)
        .where(and(eq(recoveryCodes.accountId, id), eq(recoveryCodes.hash, hash)))
        .returning({ hash: recoveryCodes.hash });
      return taken.length > 0;
    },
  };
}
