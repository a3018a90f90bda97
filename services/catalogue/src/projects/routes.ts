import {
  createProjectKey,
  deleteProject,
  deleteReport,
  getProject,
  getReport,
  listProjectKeys,
  listProjects,
  listReports,
  putProject,
  putReport,
  revokeProjectKey,
} from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { ProjectKeys } from './keys.ts';
import type { Projects } from './projects.ts';
import type { Reports } from './reports.ts';

export function serveProjects(app: ServiceApp, projects: Projects): void {
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

export function serveProjectKeys(app: ServiceApp, keys: ProjectKeys): void {
  app.implement(listProjectKeys, async (c) =>
    c.json({ keys: await keys.list(c.req.valid('param').projectId) }, 200),
  );
  app.implement(createProjectKey, async (c) =>
    c.json({ key: await keys.create(c.req.valid('param').projectId) }, 201),
  );
  app.implement(revokeProjectKey, async (c) => {
    const { projectId, key } = c.req.valid('param');
    await keys.revoke(projectId, key);
    return c.body(null, 204);
  });
}

export function serveReports(app: ServiceApp, reports: Reports): void {
  app.implement(listReports, async (c) =>
    c.json(await reports.list(c.req.valid('param').projectId, c.req.valid('query').cursor), 200),
  );
  app.implement(getReport, async (c) => {
    const { projectId, reportId } = c.req.valid('param');
    return c.json(await reports.get(projectId, reportId), 200);
  });
  app.implement(putReport, async (c) => {
    const { projectId, reportId } = c.req.valid('param');
    return c.json(await reports.put({ ...c.req.valid('json'), projectId, id: reportId }), 200);
  });
  app.implement(deleteReport, async (c) => {
    const { projectId, reportId } = c.req.valid('param');
    await reports.remove(projectId, reportId);
    return c.body(null, 204);
  });
}
