import { getReportRunState, recordReportRun } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Runs } from './runs.ts';

interface RunsDeps {
  runs: Runs;
  ofProject: ProjectOfRegion;
}

export function runsRoutes(app: ServiceApp, { runs, ofProject }: RunsDeps): void {
  app.implement(
    getReportRunState,
    async (c) => {
      const { projectId, reportId } = c.req.valid('param');
      return c.json(await runs.state(projectId, reportId), 200);
    },
    ofProject,
  );
  app.implement(
    recordReportRun,
    async (c, { change }) => {
      const { projectId, reportId } = c.req.valid('param');
      return c.json(await runs.record(change, projectId, reportId, c.req.valid('json')), 201);
    },
    ofProject,
  );
}
