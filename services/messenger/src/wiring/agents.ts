import { createPreferences } from '../agents/preferences.ts';
import { agentsRoutes } from '../agents/routes.ts';
import { createAgentsStore } from '../agents/store.ts';
import { createReport } from '../report/report.ts';
import { reportRoutes } from '../report/routes.ts';
import { createReportStore } from '../report/store.ts';
import { createSupportStore } from '../support/store.ts';
import type { Shared } from './shared.ts';

/** Opens the preferences of agents, and the report on their work. */
export function openAgents(shared: Shared): void {
  const { app, db, limits } = shared;
  const preferences = createPreferences({
    ...shared,
    store: createAgentsStore(db),
    support: createSupportStore(db),
  });
  agentsRoutes(app, { ...shared, preferences });
  const limit = limits.perMinute('conversation-reports', limits.reportsPerMember);
  reportRoutes(app, { ...shared, report: createReport({ store: createReportStore(db), limit }) });
}
