import { ingestEvents } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Events } from './events.ts';

export function eventsRoutes(app: ServiceApp, events: Events): void {
  app.implement(ingestEvents, async (c) => {
    const accepted = await events.accept(c.var.project.id, c.req.valid('json'));
    return c.json({ accepted }, 202);
  });
}
