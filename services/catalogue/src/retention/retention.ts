import type { ExpiringData } from '@switchboard/service-kit';
import type { AuditStore } from '../audit/store.ts';
import type { ErasuresStore } from '../erasures/store.ts';

interface RetentionOptions {
  audit: Pick<AuditStore, 'removeBefore' | 'oldest'>;
  erasures: Pick<ErasuresStore, 'removeDoneBefore' | 'oldestDone'>;
  auditDays: number;
  erasureDays: number;
}

const ROWS_PER_STATEMENT = 5_000;
/** Each has a row for every service of every region. */
const ERASURES_PER_STATEMENT = 500;

/** What of catalogue is removed because of its age. */
export function expiringData({ audit, erasures, auditDays, erasureDays }: RetentionOptions): ExpiringData[] {
  return [
    {
      kind: 'audit entries',
      days: auditDays,
      removeBefore: async (time) => ({ rows: await audit.removeBefore(time, ROWS_PER_STATEMENT) }),
      oldest: () => audit.oldest(),
    },
    {
      kind: 'erasures',
      days: erasureDays,
      removeBefore: async (time) => ({ rows: await erasures.removeDoneBefore(time, ERASURES_PER_STATEMENT) }),
      oldest: () => erasures.oldestDone(),
    },
  ];
}
