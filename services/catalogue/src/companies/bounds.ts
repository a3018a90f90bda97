import type { Tx } from '@switchboard/database';
import { Conflict } from '@switchboard/service-kit';
import { type Counted, createCompaniesStore } from './store.ts';

/** What a company may have at most, unless its entitlement of this name is another number. */
const BOUNDS: Record<Counted, { of: string; most: number }> = {
  seats: { of: 'members', most: 500 },
  projects: { of: 'projects', most: 100 },
  reports: { of: 'reports', most: 2_000 },
  refreshedReports: { of: 'reports with refresh', most: 100 },
};

/** More than the changes of a company that can run at once. */
const MARGIN = 200;

/**
 * Throws Conflict when the company may not have one more. Locks a company that is nearly full: of changes at the same
 * moment, none counts too few. Call it before the transaction locks anything else of the company.
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
