import { shareReport } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Shares } from './shares.ts';

export function sharesRoutes(app: ServiceApp, { shares }: { shares: Shares }): void {
  app.implement(shareReport, async (c, { change }) => {
    const { 'Idempotency-Key': key } = c.req.valid('header');
    return c.json(
      await shares.share(change, c.var, c.req.valid('param').reportId, c.req.valid('json'), key),
      201,
    );
  });
}
