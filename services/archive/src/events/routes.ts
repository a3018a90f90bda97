import { findEvent } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { EventLookup } from './event-lookup.ts';

interface EventsRoutesOptions {
  eventLookup: EventLookup;
  ofProject: ProjectOfRegion;
}

export function eventsRoutes(app: ServiceApp, { eventLookup, ofProject }: EventsRoutesOptions): void {
  app.implement(
    findEvent,
    async (c) => {
      const { projectId, eventId } = c.req.valid('param');
      return c.json(await eventLookup.find(projectId, eventId), 200);
    },
    ofProject,
  );
}
