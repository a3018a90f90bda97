import { ingestEvents } from '@switchboard/contracts';
import type { Quota, ServiceApp } from '@switchboard/service-kit';
import type { Events } from './events.ts';

export function eventsRoutes(app: ServiceApp, events: Events, quota: Quota): void {
  app.implement(
    ingestEvents,
    async (c) => {
      const accepted = await events.accept(c.var.project.id, c.req.valid('json'));
      return c.json({ accepted }, 202);
    },
    { quota },
  );
}
