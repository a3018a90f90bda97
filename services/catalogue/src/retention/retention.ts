import type { ExpiringData } from '@switchboard/database';
import { createRetention } from '@switchboard/runtime';
import { type AuditStore, createAuditStore } from '../audit/store.ts';
import type { Catalogue } from '../config.ts';
import { createErasuresStore, type ErasuresStore } from '../erasures/store.ts';

interface RetentionOptions {
  audit: Pick<AuditStore, 'removeBefore' | 'oldest'>;
  erasures: Pick<ErasuresStore, 'removeDoneBefore' | 'oldestDone'>;
  days: number;
}

const ROWS_PER_STATEMENT = 5_000;
/** Fewer than `ROWS_PER_STATEMENT`, because each erasure has a row per service and region. */
const ERASURES_PER_STATEMENT = 500;

/** Removes data of catalogue at its age. */
export function openRetention(service: Catalogue): void {
  const { config, db, run } = service;
  const data = expiringData({
    audit: createAuditStore(db),
    erasures: createErasuresStore(db),
    days: config.AUDIT_RETENTION_DAYS,
  });
  run(createRetention({ ...service, data }));
}

/** Returns the data of catalogue that is removed by age. */
export function expiringData({ audit, erasures, days }: RetentionOptions): ExpiringData[] {
  return [
    {
      kind: 'audit entries',
      days,
      removeBefore: async (time) => ({ rows: await audit.removeBefore(time, ROWS_PER_STATEMENT) }),
      oldest: () => audit.oldest(),
    },
    {
      kind: 'erasures',
      days,
      removeBefore: async (time) => ({ rows: await erasures.removeDoneBefore(time, ERASURES_PER_STATEMENT) }),
      oldest: () => erasures.oldestDone(),
    },
  ];
}
