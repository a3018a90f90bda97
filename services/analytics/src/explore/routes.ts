import { listEventNames, listEventProperties, listEvents } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Explore } from './explore.ts';

export function exploreRoutes(app: ServiceApp, { explore }: { explore: Explore }): void {
  app.implement(listEvents, async (c) => {
    const { distinct_id: distinctId, name, since, cursor, limit } = c.req.valid('query');
    const { projectId } = c.req.valid('param');
    return c.json(await explore.events(projectId, { distinctId, name, since, cursor, limit }), 200);
  });
  app.implement(listEventNames, async (c) =>
    c.json(await explore.names(c.req.valid('param').projectId), 200),
  );
  app.implement(listEventProperties, async (c) => {
    const { projectId, name } = c.req.valid('param');
    return c.json(await explore.properties(projectId, name), 200);
  });
}
