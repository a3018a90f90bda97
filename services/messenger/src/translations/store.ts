import { and, eq, sql } from 'drizzle-orm';
import type { Db } from '../db.ts';
import { translatedBytes } from '../schema/index.ts';

export interface Month {
  companyId: string;
  /** YYYY-MM */
  month: string;
}

export type UsageStore = ReturnType<typeof createUsageStore>;

export function createUsageStore(db: Db) {
  const ofMonth = ({ companyId, month }: Month) =>
    and(eq(translatedBytes.companyId, companyId), eq(translatedBytes.month, month));

  return {
    async used(month: Month): Promise<number> {
      const [row] = await db
        .select({ bytes: translatedBytes.bytes })
        .from(translatedBytes)
        .where(ofMonth(month));
      return row?.bytes ?? 0;
    },

    /** Takes bytes of the month unless that would pass the limit; one statement, so that two at once cannot both. */
    async reserve({ companyId, month }: Month, bytes: number, limit: number): Promise<boolean> {
      const rows = await db.execute(sql`
        insert into ${translatedBytes} (company_id, month, bytes)
        select ${companyId}, ${month}, ${bytes}::bigint where ${bytes}::bigint <= ${limit}::bigint
        on conflict (company_id, month) do update
        set bytes = translated_bytes.bytes + excluded.bytes
        where translated_bytes.bytes + excluded.bytes <= ${limit}::bigint
        returning bytes`);
      return rows.length > 0;
    },

    async giveBack(month: Month, bytes: number): Promise<void> {
      await db
        .update(translatedBytes)
        .set({ bytes: sql`${translatedBytes.bytes} - ${bytes}::bigint` })
        .where(ofMonth(month));
    },
  };
}
