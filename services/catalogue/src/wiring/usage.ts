import { createAuditStore } from '../audit/store.ts';
import type { Companies } from '../companies/companies.ts';
import { createCompaniesStore } from '../companies/store.ts';
import type { Catalogue } from '../config.ts';
import { usageRoutes } from '../usage/routes.ts';

/** Opens the reading of what a company uses. */
export function openUsage({ app, config, db }: Catalogue, companies: Companies): void {
  usageRoutes(app, {
    companies,
    store: createCompaniesStore(db),
    audit: createAuditStore(db),
    auditDays: config.AUDIT_RETENTION_DAYS,
  });
}
