import { projectOfRegion } from '@switchboard/http';
import type { Collaboration } from '../config.ts';
import { usageRoutes } from '../usage/routes.ts';
import { createUsageStore } from '../usage/store.ts';

/** Opens the reading of how long the service keeps data. */
export function openUsage({ app, config, db, directory, region }: Collaboration): void {
  usageRoutes(app, {
    store: createUsageStore(db),
    threadDays: config.COMMENTS_RETENTION_DAYS,
    shareDays: config.SHARES_RETENTION_DAYS,
    runDays: config.REPORT_RUNS_RETENTION_DAYS,
    ofProject: projectOfRegion(directory, region),
  });
}
