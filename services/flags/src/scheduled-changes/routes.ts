import { cancelScheduledChange, listScheduledChanges, scheduleFlagChange } from '@switchboard/contracts';
import { flagWarnings } from '@switchboard/flag-engine';
import { grantOf, type ProjectOfRegion, type ServiceApp } from '@switchboard/http';
import { withWarnings } from '../rulesets/warnings.ts';
import type { ScheduledChanges } from './scheduled-changes.ts';

interface ScheduledChangesDeps {
  scheduled: ScheduledChanges;
  ofProject: ProjectOfRegion;
}

export function scheduledChangesRoutes(
  app: ServiceApp,
  { scheduled, ofProject }: ScheduledChangesDeps,
): void {
  app.implement(
    scheduleFlagChange,
    async (c, { change }) => {
      const { projectId } = c.req.valid('param');
      const grant = grantOf(c.var.authority, scheduleFlagChange.permission);
      const made = await scheduled.schedule(change, projectId, c.req.valid('json'), grant);
      const warnings =
        made.flag === undefined ? flagWarnings(made.patch ?? {}, 'patch.') : flagWarnings(made.flag, 'flag.');
      return c.json(withWarnings(made, warnings), 201);
    },
    ofProject,
  );

  app.implement(
    listScheduledChanges,
    async (c) => c.json(await scheduled.list(c.req.valid('param').projectId, c.req.valid('query')), 200),
    ofProject,
  );

  app.implement(
    cancelScheduledChange,
    async (c, { change }) => {
      const { projectId, changeId } = c.req.valid('param');
      await scheduled.cancel(change, projectId, changeId);
      return c.body(null, 204);
    },
    ofProject,
  );
}
