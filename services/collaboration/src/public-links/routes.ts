import {
  deleteDashboardLink,
  deletePublicLink,
  getDashboardLink,
  getPublicLink,
  putDashboardLink,
  putPublicLink,
} from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Runs } from '../runs/runs.ts';
import type { PublicLinks } from './public-links.ts';

interface PublicLinksDeps {
  reports: PublicLinks;
  dashboards: PublicLinks;
  runs: Pick<Runs, 'state'>;
}

export function publicLinksRoutes(app: ServiceApp, { reports, dashboards, runs }: PublicLinksDeps): void {
  app.implement(getPublicLink, async (c) => {
    const { projectId, reportId } = c.req.valid('param');
    const link = await reports.read(c.var, reportId);
    const { ranAt } = await runs.state(projectId, reportId);
    return c.json({ reportId, ...link, ranAt }, 200);
  });
  app.implement(putPublicLink, async (c, { change }) => {
    const { projectId, reportId } = c.req.valid('param');
    const { ranAt } = await runs.state(projectId, reportId);
    const link = await reports.turnOn(change, c.var, reportId, c.req.valid('json'));
    return c.json({ reportId, ...link, ranAt }, 200);
  });
  app.implement(deletePublicLink, async (c, { change }) => {
    await reports.turnOff(change, c.var, c.req.valid('param').reportId);
    return c.body(null, 204);
  });

  app.implement(getDashboardLink, async (c) => {
    const { dashboardId } = c.req.valid('param');
    return c.json({ dashboardId, ...(await dashboards.read(c.var, dashboardId)) }, 200);
  });
  app.implement(putDashboardLink, async (c, { change }) => {
    const { dashboardId } = c.req.valid('param');
    const link = await dashboards.turnOn(change, c.var, dashboardId, c.req.valid('json'));
    return c.json({ dashboardId, ...link }, 200);
  });
  app.implement(deleteDashboardLink, async (c, { change }) => {
    await dashboards.turnOff(change, c.var, c.req.valid('param').dashboardId);
    return c.body(null, 204);
  });
}
