import { projectOfRegion } from '@switchboard/http';
import type { Collaboration } from '../config.ts';
import { createDashboards, type Dashboards } from '../dashboards/dashboards.ts';
import { dashboardsRoutes } from '../dashboards/routes.ts';
import { createRunsConsumer } from '../runs/consumer.ts';
import { runsRoutes } from '../runs/routes.ts';
import { createRuns, type Runs } from '../runs/runs.ts';
import { createRunsStore } from '../runs/store.ts';

/** Opens the runs of reports, which analytics publishes and operators send, and the dashboards that show them. */
export function openRuns(service: Collaboration): { dashboards: Dashboards; runs: Runs } {
  const { app, db, directory, region, run } = service;
  const runs = createRuns({ ...service, store: createRunsStore(db) });
  const ofProject = projectOfRegion(directory, region);
  runsRoutes(app, { runs, ofProject });
  const dashboards = createDashboards(service);
  dashboardsRoutes(app, { dashboards, ofProject });
  run(createRunsConsumer({ ...service, runs }));
  return { dashboards, runs };
}
