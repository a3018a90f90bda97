import { type Db, type Transactor, type Tx, tryTransaction } from '@switchboard/database';
import { and, eq, sql } from 'drizzle-orm';
import { translatedBytes } from '../schema/index.ts';

/** A company's calendar month. */
export interface UsageMonth {
  companyId: string;
  /** YYYY-MM */
  month: string;
}

export interface TranslationsStore {
  /** Returns the bytes used in the month. */
  used(month: UsageMonth): Promise<number>;
  /** Adds to the bytes used, atomically. Returns false if that would exceed the limit. */
  reserve(month: UsageMonth, bytes: number, limit: number, within: Transactor): Promise<boolean>;
  /** Releases a reservation. */
  release(month: UsageMonth, bytes: number): Promise<void>;
}

export function createTranslationsStore(db: Db | Tx): TranslationsStore {
  return {
    async used(month) {
      const [row] = await db
        .select({ bytes: translatedBytes.bytes })
        .from(translatedBytes)
        .where(isMonth(month));
      return row?.bytes ?? 0;
    },

    async reserve({ companyId, month }, bytes, limit, within) {
      const reservation = sql`
        insert into ${translatedBytes} (company_id, month, bytes)
        select ${companyId}, ${month}, ${bytes}::bigint where ${bytes}::bigint <= ${limit}::bigint
        on conflict (company_id, month) do update
        set bytes = translated_bytes.bytes + excluded.bytes
        where translated_bytes.bytes + excluded.bytes <= ${limit}::bigint
        returning bytes`;
      return tryTransaction(
        within,
        async (tx, undo) => (await tx.execute(reservation)).length > 0 || undo(false),
      );
    },

    async release(month, bytes) {
      await db
        .update(translatedBytes)
        .set({ bytes: sql`${translatedBytes.bytes} - ${bytes}::bigint` })
        .where(isMonth(month));
    },
  };
}

const isMonth = ({ companyId, month }: UsageMonth) =>
  and(eq(translatedBytes.companyId, companyId), eq(translatedBytes.month, month));
