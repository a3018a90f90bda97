import {
  deleteDashboard,
  getDashboard,
  getDashboardReports,
  listDashboards,
  putDashboard,
} from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { TypedResponse } from 'hono';
import { type Dashboards, etagOfVersion } from './dashboards.ts';

interface DashboardsDeps {
  dashboards: Dashboards;
  ofProject: ProjectOfRegion;
}

export function dashboardsRoutes(app: ServiceApp, { dashboards, ofProject }: DashboardsDeps): void {
  app.implement(
    listDashboards,
    async (c) => c.json(await dashboards.list(c.req.valid('param').projectId, c.req.valid('query')), 200),
    ofProject,
  );
  app.implement(
    getDashboard,
    async (c) => {
      const dashboard = await dashboards.get(c.req.valid('param'));
      return c.json(dashboard, 200, { ETag: etagOfVersion(dashboard) });
    },
    ofProject,
  );
  app.implement(
    putDashboard,
    async (c, { change }) => {
      const author = { sub: c.var.person.sub, ifMatch: c.req.valid('header')['If-Match'] };
      const dashboard = await dashboards.put(change, c.req.valid('param'), c.req.valid('json'), author);
      return c.json(dashboard, 200, { ETag: etagOfVersion(dashboard) });
    },
    ofProject,
  );
  app.implement(
    deleteDashboard,
    async (c, { change }) => {
      await dashboards.remove(change, c.req.valid('param'));
      return c.body(null, 204);
    },
    ofProject,
  );
  app.implement(getDashboardReports, async (c) => respond(await dashboards.reports(c.req.valid('param'))));
}

type Answer = Response & TypedResponse<{ reports: never[] }, 200, 'json'>;

function respond(body: string): Answer;
function respond(body: string): Response {
  return new Response(body, { headers: { 'Content-Type': 'application/json; charset=utf-8' } });
}
