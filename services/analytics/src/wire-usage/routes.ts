import { listWireUsage } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { ListWireUsage } from './wire-usage.ts';

export function wireUsageRoutes(app: ServiceApp, list: ListWireUsage): void {
  app.implement(listWireUsage, async (c) =>
    c.json({ wires: await list(c.req.valid('param').projectId) }, 200),
  );
}
