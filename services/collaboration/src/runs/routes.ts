import { recordReportRun } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { createRuns } from './runs.ts';

export function routeRuns(app: ServiceApp, runs: ReturnType<typeof createRuns>): void {
  app.implement(recordReportRun, async (c) => {
    const { projectId, reportId } = c.req.valid('param');
    return c.json(await runs.record(projectId, reportId, c.req.valid('json')), 201);
  });
}
