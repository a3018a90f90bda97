import type { Tx } from '@switchboard/database';
import { Conflict } from '@switchboard/http';
import { type Counted, createCompaniesStore } from './store.ts';

/** The default limits of a company. An entitlement of the same name overrides its limit. */
const BOUNDS: Record<Counted, { of: string; most: number }> = {
  seats: { of: 'members', most: 500 },
  projects: { of: 'projects', most: 100 },
  reports: { of: 'reports', most: 2_000 },
  refreshedReports: { of: 'reports with refresh', most: 100 },
};

/** Exceeds the number of concurrent changes to one company. */
const MARGIN = 200;

/**
 * Throws Conflict when the company has reached its limit. Locks a company that is nearly full, so that
 * concurrent changes are all counted. Call it before the transaction locks any other row of the company.
 */
export async function requireRoom(tx: Tx, companyId: string, bound: Counted): Promise<void> {
  const store = createCompaniesStore(tx);
  const entitled = (await store.entitlements(companyId))[bound];
  const { of, most: usual } = BOUNDS[bound];
  const most = typeof entitled === 'number' ? entitled : usual;
  if ((await store.count(companyId, bound)) + MARGIN < most) return;
  await store.lock(companyId);
  const count = await store.count(companyId, bound);
  if (count < most) return;
  throw new Conflict(
    `The company has ${count} ${of}, and the entitlement ${bound} allows ${most}. Delete one or raise it.`,
  );
}
