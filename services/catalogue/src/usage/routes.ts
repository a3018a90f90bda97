import { entitlements as entitlementsOf, getCompanyUsage } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { AuditStore } from '../audit/store.ts';
import { readQuotas } from '../companies/bounds.ts';
import type { Companies } from '../companies/companies.ts';
import type { CompaniesStore } from '../companies/store.ts';

interface UsageDeps {
  companies: Pick<Companies, 'get'>;
  store: CompaniesStore;
  audit: Pick<AuditStore, 'oldestOf'>;
  /** The days for which audit entries are kept. */
  auditDays: number;
}

export function usageRoutes(app: ServiceApp, { companies, store, audit, auditDays }: UsageDeps): void {
  app.implement(getCompanyUsage, async (c) => {
    const { plan, id } = await companies.get(c.req.valid('param').companyId);
    const entitlements = entitlementsOf.parse(await store.entitlements(id));
    const earliest = await audit.oldestOf(id);
    return c.json(
      {
        plan,
        entitlements,
        quotas: await readQuotas(store, id, entitlements),
        retention: [
          {
            data: 'auditEntries' as const,
            setting: 'AUDIT_RETENTION_DAYS',
            days: auditDays,
            earliestAt: earliest?.toISOString() ?? null,
          },
        ],
      },
      200,
    );
  });
}
