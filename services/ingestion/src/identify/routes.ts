import { group, identify } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Calls } from './calls.ts';

export function callRoutes(app: ServiceApp, calls: Calls): void {
  app.implement(identify, async (c) => {
    const token = await calls.identify(c.get('project').id, c.req.valid('json'));
    return c.json({ accepted: 1 }, 202, { 'X-State-Token': token });
  });

  app.implement(group, async (c) => {
    const token = await calls.group(c.get('project').id, c.req.valid('json'));
    return c.json({ accepted: 1 }, 202, { 'X-State-Token': token });
  });
}
