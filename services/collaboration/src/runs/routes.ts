import { getReportRun, getReportRunState, listReportRuns, recordReportRun } from '@switchboard/contracts';
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
    listReportRuns,
    async (c) => {
      const { projectId, reportId } = c.req.valid('param');
      return c.json({ runs: await runs.list(projectId, reportId) }, 200);
    },
    ofProject,
  );
  app.implement(
    getReportRun,
    async (c) => {
      const { projectId, reportId, runId } = c.req.valid('param');
      return c.json(await runs.find(projectId, reportId, runId), 200);
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
