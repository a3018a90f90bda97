import { getProject, listProjects, putProject } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { WriteRate } from '../companies/write-rate.ts';
import type { Projects } from './projects.ts';

export function projectsRoutes(
  app: ServiceApp,
  { projects, rate }: { projects: Projects; rate: WriteRate },
): void {
  app.implement(listProjects, async (c) =>
    c.json(await projects.list(c.req.valid('param').companyId, c.req.valid('query')), 200),
  );
  app.implement(getProject, async (c) => c.json(await projects.get(c.req.valid('param').projectId), 200));
  app.implement(
    putProject,
    async (c, { change }) => {
      const { authority } = c.var;
      const project = { ...c.req.valid('json'), id: c.req.valid('param').projectId };
      await authority.require('projects.write', project.companyId);
      if (c.env.companyId === undefined) await rate.consume(project.companyId);
      const mayMoveFrom = (companyId: string) => authority.has('projects.write', companyId);
      return c.json(await projects.put(change, project, mayMoveFrom), 200);
    },
    rate,
  );
}
