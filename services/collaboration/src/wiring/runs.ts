import { projectOfRegion } from '@switchboard/http';
import type { Collaboration } from '../config.ts';
import { createRunsConsumer } from '../runs/consumer.ts';
import { runsRoutes } from '../runs/routes.ts';
import { createRuns } from '../runs/runs.ts';
import { createRunsStore } from '../runs/store.ts';

/** Opens the runs of reports, which analytics publishes and operators send. */
export function openRuns(service: Collaboration): void {
  const { app, db, directory, region, run } = service;
  const runs = createRuns({ ...service, store: createRunsStore(db) });
  runsRoutes(app, { runs, ofProject: projectOfRegion(directory, region) });
  run(createRunsConsumer({ ...service, runs }));
}
