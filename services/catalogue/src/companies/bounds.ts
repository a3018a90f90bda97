import type { Tx } from '@switchboard/database';
import { Conflict } from '@switchboard/http';
import { type CompaniesStore, type Counted, createCompaniesStore } from './store.ts';

/** The default limits of a company. An entitlement of the same name overrides its limit. */
const BOUNDS: Record<Counted, { of: string; most: number }> = {
  seats: { of: 'members', most: 500 },
  projects: { of: 'projects', most: 100 },
  reports: { of: 'reports', most: 2_000 },
  refreshedReports: { of: 'reports with refresh', most: 100 },
};

/** Returns the numbers of things that the company has and may have. */
export async function readQuotas(store: CompaniesStore, id: string, entitlements: Record<string, unknown>) {
  const quota = async (bound: Counted) => ({
    used: await store.count(id, bound),
    most: mostOf(bound, entitlements),
  });
  return {
    seats: await quota('seats'),
    projects: await quota('projects'),
    reports: await quota('reports'),
    refreshedReports: await quota('refreshedReports'),
  };
}

function mostOf(bound: Counted, entitlements: Record<string, unknown>): number {
  const entitled = entitlements[bound];
  return typeof entitled === 'number' ? entitled : BOUNDS[bound].most;
}

/** Exceeds the number of concurrent changes to one company. */
const MARGIN = 200;

/**
 * Throws Conflict when the company has reached its limit. Locks a company that is nearly full, so that
 * concurrent changes are all counted. Call it before the transaction locks any other row of the company.
 */
export async function requireRoom(tx: Tx, companyId: string, bound: Counted): Promise<void> {
  const store = createCompaniesStore(tx);
  const { of } = BOUNDS[bound];
  const most = mostOf(bound, await store.entitlements(companyId));
  if ((await store.count(companyId, bound)) + MARGIN < most) return;
  await store.lock(companyId);
  const count = await store.count(companyId, bound);
  if (count < most) return;
  throw new Conflict(
    `The company has ${count} ${of}, and the entitlement ${bound} allows ${most}. Delete one or raise it.`,
  );
}
