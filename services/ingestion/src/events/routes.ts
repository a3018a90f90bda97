import { ingestEvents } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Events } from './events.ts';

export function eventRoutes(app: ServiceApp, events: Events): void {
  app.implement(ingestEvents, async (c) => {
    const accepted = await events.accept(c.get('project').id, c.req.valid('json'));
    return c.json({ accepted }, 202);
  });
}
