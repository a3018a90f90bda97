import { getCompany, listCompanies, putCompany } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Companies } from './companies.ts';
import type { WriteRate } from './write-rate.ts';

export function companiesRoutes(
  app: ServiceApp,
  { companies, rate }: { companies: Companies; rate: WriteRate },
): void {
  app.implement(listCompanies, async (c) => c.json(await companies.list(c.req.valid('query')), 200));
  app.implement(getCompany, async (c) => c.json(await companies.get(c.req.valid('param').companyId), 200));
  app.implement(
    putCompany,
    async (c, { change }) => {
      const company = { ...c.req.valid('json'), id: c.req.valid('param').companyId };
      const mayChangePlan = c.var.authority.hasEverywhere('companies.write');
      return c.json(await companies.put(change, company, mayChangePlan), 200);
    },
    rate,
  );
}
