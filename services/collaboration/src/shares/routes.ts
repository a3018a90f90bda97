import { shareReport } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { createShares } from './shares.ts';

export function routeShares(app: ServiceApp, shares: ReturnType<typeof createShares>): void {
  app.implement(shareReport, async (c) =>
    c.json(await shares.share(c.var, c.req.valid('param').reportId, c.req.valid('json')), 201),
  );
}
