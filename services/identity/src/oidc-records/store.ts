import type { Db } from '@switchboard/database';
import { and, eq, isNull } from 'drizzle-orm';
import { oidcRecords } from '../schema/index.ts';

export type OidcRecordRow = typeof oidcRecords.$inferSelect;

export type NewOidcRecord = Omit<OidcRecordRow, 'consumedAt' | 'successorHash'>;

/** The columns by which a record is found, besides its own hash. */
export type LookUp = 'uidHash' | 'userCodeHash';

export interface OidcRecordsStore {
  upsert(row: NewOidcRecord): Promise<void>;
  /** Consumes a record and stores its successor, in one transaction. Returns false if it was consumed before. */
  rotate(hash: string, successor: NewOidcRecord, at: Date): Promise<boolean>;
  find(kind: string, hash: string): Promise<OidcRecordRow | undefined>;
  findBy(kind: string, column: LookUp, hash: string): Promise<OidcRecordRow | undefined>;
  /** Returns false if the record was consumed before. */
  consume(kind: string, hash: string, at: Date): Promise<boolean>;
  remove(kind: string, hash: string): Promise<void>;
  /** Removes every record of a grant: its codes and tokens. */
  removeGrant(hash: string): Promise<void>;
  /** Removes the sessions, grants and tokens of an account. */
  removeAccount(accountId: string): Promise<void>;
}

const named = (kind: string, hash: string) => and(eq(oidcRecords.kind, kind), eq(oidcRecords.hash, hash));

export function createOidcRecordsStore(db: Db): OidcRecordsStore {
  return {
    async upsert(row) {
      const { kind: _, hash: __, ...set } = row;
      await db
        .insert(oidcRecords)
        .values(row)
        .onConflictDoUpdate({ target: [oidcRecords.kind, oidcRecords.hash], set });
    },

    rotate: (hash, successor, at) =>
      db.transaction(async (tx) => {
        const consumed = await tx
          .update(oidcRecords)
          .set({ consumedAt: at, successorHash: successor.hash })
          .where(and(named(successor.kind, hash), isNull(oidcRecords.consumedAt)))
          .returning({ hash: oidcRecords.hash });
        if (consumed.length === 0) return false;
        await tx.insert(oidcRecords).values(successor);
        return true;
      }),

    async find(kind, hash) {
      const [row] = await db.select().from(oidcRecords).where(named(kind, hash));
      return row;
    },

    async findBy(kind, column, hash) {
      const [row] = await db
        .select()
        .from(oidcRecords)
        .where(and(eq(oidcRecords[column], hash), eq(oidcRecords.kind, kind)))
        .limit(1);
      return row;
    },

    async consume(kind, hash, at) {
      const consumed = await db
        .update(oidcRecords)
        .set({ consumedAt: at })
        .where(and(named(kind, hash), isNull(oidcRecords.consumedAt)))
        .returning({ hash: oidcRecords.hash });
      return consumed.length > 0;
    },

    async remove(kind, hash) {
      await db.delete(oidcRecords).where(named(kind, hash));
    },

    async removeGrant(hash) {
      await db.delete(oidcRecords).where(eq(oidcRecords.grantHash, hash));
    },

    async removeAccount(accountId) {
      await db.delete(oidcRecords).where(eq(oidcRecords.accountId, accountId));
    },
  };
}
