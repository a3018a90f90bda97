import { projectOfRegion } from '@switchboard/http';
import { createCohorts } from '../cohorts/cohorts.ts';
import { cohortsRoutes } from '../cohorts/routes.ts';
import type { FlagsService } from '../config.ts';
import { createFlags } from '../flags/flags.ts';
import { flagsRoutes } from '../flags/routes.ts';
import { createJoins } from '../joins/joins.ts';
import { joinsRoutes } from '../joins/routes.ts';
import { promotionsRoutes } from '../promotions/routes.ts';
import { createMaking } from '../scheduled-changes/make.ts';
import { failOfDeleted } from '../scheduled-changes/removal.ts';
import { scheduledChangesRoutes } from '../scheduled-changes/routes.ts';
import { createScheduledChanges } from '../scheduled-changes/scheduled-changes.ts';

/** Opens the editing of flags and cohorts, now and scheduled. */
export function openEditing(service: FlagsService, onChanged: (projectId: string) => void): void {
  const { app, directory, region, run } = service;
  const editing = { ...service, onChanged };
  const ofProject = projectOfRegion(directory, region);
  flagsRoutes(app, { flags: createFlags({ ...editing, onDeleted: failOfDeleted }), ofProject });
  promotionsRoutes(app, { ...editing, directory, region, ofProject });
  cohortsRoutes(app, { cohorts: createCohorts(editing), ofProject });
  joinsRoutes(app, { joins: createJoins(editing), ofProject });
  scheduledChangesRoutes(app, { scheduled: createScheduledChanges(editing), ofProject });
  run(createMaking(editing));
}
