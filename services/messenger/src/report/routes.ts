import { getConversationReport } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Report } from './report.ts';

interface ReportDeps {
  report: Report;
  ofProject: ProjectOfRegion;
}

export function reportRoutes(app: ServiceApp, { report, ofProject }: ReportDeps): void {
  app.implement(
    getConversationReport,
    async (c) => {
      const { projectId } = c.req.valid('param');
      return c.json(await report({ projectId, ...c.req.valid('query') }, c.var.person.sub), 200);
    },
    ofProject,
  );
}
