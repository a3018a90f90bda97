import { getErasure, listCompanyErasures, listErasures } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Erasures } from './erasures.ts';

export function erasuresRoutes(app: ServiceApp, { erasures }: { erasures: Erasures }): void {
  app.implement(listErasures, async (c) => c.json(await erasures.list(c.req.valid('query')), 200));
  app.implement(listCompanyErasures, async (c) => {
    const { companyId } = c.req.valid('param');
    return c.json(await erasures.list({ ...c.req.valid('query'), companyId }), 200);
  });
  app.implement(getErasure, async (c) => c.json(await erasures.get(c.req.valid('param').erasureId), 200));
}
