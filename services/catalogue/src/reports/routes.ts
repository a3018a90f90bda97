import { deleteReport, getReport, listReports, putReport } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { WriteRate } from '../companies/write-rate.ts';
import type { Reports } from './reports.ts';

export function reportsRoutes(
  app: ServiceApp,
  { reports, rate }: { reports: Reports; rate: WriteRate },
): void {
  app.implement(listReports, async (c) =>
    c.json(await reports.list(c.req.valid('param').projectId, c.req.valid('query')), 200),
  );
  app.implement(getReport, async (c) => {
    const { projectId, reportId } = c.req.valid('param');
    return c.json(await reports.get(projectId, reportId), 200);
  });
  app.implement(
    putReport,
    async (c, { change }) => {
      const { projectId, reportId } = c.req.valid('param');
      return c.json(await reports.put(change, { ...c.req.valid('json'), projectId, id: reportId }), 200);
    },
    rate,
  );
  app.implement(
    deleteReport,
    async (c, { change }) => {
      const { projectId, reportId } = c.req.valid('param');
      await reports.remove(change, projectId, reportId);
      return c.body(null, 204);
    },
    rate,
  );
}
