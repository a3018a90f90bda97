import { group, identify } from '@switchboard/contracts';
import type { Quota, ServiceApp } from '@switchboard/service-kit';
import type { Identify } from './identify.ts';

export function identifyRoutes(app: ServiceApp, calls: Identify, quota: Quota): void {
  app.implement(
    identify,
    async (c) => {
      const token = await calls.identify(c.var.project.id, c.req.valid('json'));
      return c.json({ accepted: 1 }, 202, { 'X-State-Token': token });
    },
    { quota },
  );

  app.implement(
    group,
    async (c) => {
      const token = await calls.group(c.var.project.id, c.req.valid('json'));
      return c.json({ accepted: 1 }, 202, { 'X-State-Token': token });
    },
    { quota },
  );
}
