import { recordReportRun } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Runs } from './runs.ts';

export function runsRoutes(app: ServiceApp, { runs }: { runs: Runs }): void {
  app.implement(recordReportRun, async (c) => {
    const { projectId, reportId } = c.req.valid('param');
    return c.json(await runs.record(projectId, reportId, c.req.valid('json')), 201);
  });
}
