import { deleteThrottle, getThrottle, listThrottles, putThrottle } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Throttles } from './throttles.ts';

export function throttlesRoutes(app: ServiceApp, { throttles }: { throttles: Throttles }): void {
  app.implement(listThrottles, async (c) => c.json(await throttles.list(c.req.valid('query')), 200));
  app.implement(getThrottle, async (c) => c.json(await throttles.get(c.req.valid('param').projectId), 200));
  app.implement(putThrottle, async (c, { change }) => {
    const { projectId } = c.req.valid('param');
    return c.json(await throttles.put(change, projectId, c.req.valid('json').eventsPerSecond), 200);
  });
  app.implement(deleteThrottle, async (c, { change }) => {
    await throttles.remove(change, c.req.valid('param').projectId);
    return c.body(null, 204);
  });
}
