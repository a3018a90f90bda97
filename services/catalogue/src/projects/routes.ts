import { deleteProject, getProject, listProjects, putProject } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Projects } from './projects.ts';

export function projectsRoutes(app: ServiceApp, { projects }: { projects: Projects }): void {
  app.implement(listProjects, async (c) =>
    c.json(await projects.list(c.req.valid('param').companyId, c.req.valid('query').cursor), 200),
  );
  app.implement(getProject, async (c) => c.json(await projects.get(c.req.valid('param').projectId), 200));
  app.implement(putProject, async (c) =>
    c.json(await projects.put({ ...c.req.valid('json'), id: c.req.valid('param').projectId }), 200),
  );
  app.implement(deleteProject, async (c) => {
    await projects.remove(c.req.valid('param').projectId);
    return c.body(null, 204);
  });
}
