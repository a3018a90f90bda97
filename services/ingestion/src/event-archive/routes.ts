import { findEvent } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/service-kit';
import type { Whereabouts } from './whereabouts.ts';

/** Where is my event? For projects of this region. */
export function eventArchiveRoutes(
  app: ServiceApp,
  whereabouts: Whereabouts,
  ofProject: ProjectOfRegion,
): void {
  app.implement(
    findEvent,
    async (c) => {
      const { projectId, eventId } = c.req.valid('param');
      return c.json(await whereabouts.find(projectId, eventId), 200);
    },
    ofProject,
  );
}
