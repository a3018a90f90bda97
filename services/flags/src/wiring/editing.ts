import type { FlagEntry } from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import { createRateLimits, projectOfRegion, runOnce } from '@switchboard/http';
import { createEncryption } from '@switchboard/runtime';
import { createChangeRequests } from '../change-requests/change-requests.ts';
import { withdrawNaming, withdrawOfEdited } from '../change-requests/removal.ts';
import { changeRequestsRoutes } from '../change-requests/routes.ts';
import { createCohorts } from '../cohorts/cohorts.ts';
import { cohortsRoutes } from '../cohorts/routes.ts';
import type { FlagsService } from '../config.ts';
import { createFlagHooks } from '../flag-hooks/flag-hooks.ts';
import { flagHooksRoutes } from '../flag-hooks/routes.ts';
import type { FlagPath } from '../flags/edit-flag.ts';
import { createFlags } from '../flags/flags.ts';
import { flagsRoutes } from '../flags/routes.ts';
import { createJoins } from '../joins/joins.ts';
import { joinsRoutes } from '../joins/routes.ts';
import { peopleUsageRoutes } from '../people-usage/routes.ts';
import { promotionsRoutes } from '../promotions/routes.ts';
import { createMaking } from '../scheduled-changes/make.ts';
import { failOfDeleted } from '../scheduled-changes/removal.ts';
import { scheduledChangesRoutes } from '../scheduled-changes/routes.ts';
import { createScheduledChanges } from '../scheduled-changes/scheduled-changes.ts';

/** The calls of hooks per minute. */
const HOOK_CALLS = { address: 120, hook: 30 };

/** Opens the editing of flags and cohorts, now, scheduled and by hooks. */
export function openEditing(service: FlagsService, onChanged: (projectId: string) => void): void {
  const { app, audit, config, directory, logger, region, run, share } = service;
  const editing = {
    ...service,
    onChanged,
    approvalsOf: async (projectId: string) => (await directory.project(projectId))?.flagApprovals ?? 0,
    async onEdited(tx: Tx, at: FlagPath, flag: FlagEntry | undefined) {
      if (flag === undefined) await failOfDeleted(tx, at);
      await withdrawOfEdited(tx, at, flag);
    },
  };
  const ofProject = projectOfRegion(directory, region);
  flagsRoutes(app, { flags: createFlags(editing), ofProject });
  promotionsRoutes(app, { ...editing, directory, region, ofProject });
  cohortsRoutes(app, { cohorts: createCohorts({ ...editing, onRemoved: withdrawNaming }), ofProject });
  joinsRoutes(app, { joins: createJoins(editing), ofProject });
  scheduledChangesRoutes(app, { scheduled: createScheduledChanges(editing), ofProject });
  peopleUsageRoutes(app, { days: service.config.PEOPLE_RETENTION_DAYS, ofProject });
  const requests = createChangeRequests(editing);
  changeRequestsRoutes(app, { requests, directory, region, ofProject });
  const limit = createRateLimits(undefined, share);
  const hooks = createFlagHooks({
    ...editing,
    limits: {
      address: limit({ name: 'calls of an address', points: HOOK_CALLS.address, durationSeconds: 60 }),
      hook: limit({ name: 'calls of a hook', points: HOOK_CALLS.hook, durationSeconds: 60 }),
    },
    publicUrl: config.PUBLIC_API_URL,
    encryption: createEncryption({ secrets: config.WEBHOOK_SECRET, purpose: 'secrets of hooks' }),
  });
  flagHooksRoutes(app, { hooks, audit, ofProject });
  run(
    createMaking(editing),
    runOnce((signal) => hooks.reencrypt(logger, signal)),
  );
}
