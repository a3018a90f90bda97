import { runReport } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { SavedReports } from './saved-reports.ts';

interface SavedReportsDeps {
  savedReports: Pick<SavedReports, 'request'>;
  ofProject: ProjectOfRegion;
}

export function savedReportsRoutes(app: ServiceApp, { savedReports, ofProject }: SavedReportsDeps): void {
  app.implement(
    runReport,
    async (c, { change }) => {
      const { projectId, reportId } = c.req.valid('param');
      await savedReports.request(change, { projectId, reportId });
      return c.body(null, 202);
    },
    ofProject,
  );
}
