import { shareReport } from '@switchboard/contracts';
import { BadRequest, type ServiceApp } from '@switchboard/service-kit';
import type { Shares } from './shares.ts';

export function sharesRoutes(app: ServiceApp, { shares }: { shares: Shares }): void {
  app.implement(shareReport, async (c) => {
    const key = idempotencyKey(c.req.header('idempotency-key'));
    return c.json(await shares.share(c.var, c.req.valid('param').reportId, c.req.valid('json'), key), 201);
  });
}

function idempotencyKey(header: string | undefined): string | undefined {
  const parsed = shareReport.request.headers.safeParse({ 'idempotency-key': header });
  if (parsed.success) return parsed.data['idempotency-key'];
  throw new BadRequest(`Idempotency-Key: ${parsed.error.issues[0]?.message ?? 'not valid'}`);
}
