import { getCollaborationUsage } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { UsageStore } from './store.ts';

interface UsageDeps {
  store: UsageStore;
  threadDays: number | undefined;
  shareDays: number;
  runDays: number | undefined;
  ofProject: ProjectOfRegion;
}

export function usageRoutes(app: ServiceApp, deps: UsageDeps): void {
  const { store, threadDays, shareDays, runDays, ofProject } = deps;
  app.implement(
    getCollaborationUsage,
    async (c) => {
      const { projectId } = c.req.valid('param');
      const kinds = [
        ['threads', 'COMMENTS_RETENTION_DAYS', threadDays, await store.oldestThread(projectId)],
        ['shares', 'SHARES_RETENTION_DAYS', shareDays, await store.oldestShare(projectId)],
        ['reportRuns', 'REPORT_RUNS_RETENTION_DAYS', runDays, await store.oldestRun(projectId)],
      ] as const;
      const retention = kinds.map(([data, setting, days, earliest]) => ({
        ...{ data, setting },
        days: days ?? null,
        earliestAt: earliest?.toISOString() ?? null,
      }));
      return c.json({ retention }, 200);
    },
    ofProject,
  );
}
