import { getFlagUsage, listFlagUsage, reportFlagUsage } from '@switchboard/contracts';
import type { ProjectOfRegion, Quota, ServiceApp } from '@switchboard/http';
import type { Usage } from './usage.ts';

interface UsageDeps {
  usage: Usage;
  quota: Quota;
  ofProject: ProjectOfRegion;
}

export function usageRoutes(app: ServiceApp, { usage, quota, ofProject }: UsageDeps): void {
  app.implement(
    reportFlagUsage,
    async (c) => c.json(await usage.report(c.get('project').id, c.req.valid('json').usage), 202),
    { quota },
  );

  app.implement(
    listFlagUsage,
    async (c) => c.json({ usage: await usage.list(c.req.valid('param').projectId) }, 200),
    ofProject,
  );

  app.implement(
    getFlagUsage,
    async (c) => c.json({ points: await usage.over(c.req.valid('param'), c.req.valid('query')) }, 200),
    ofProject,
  );
}
