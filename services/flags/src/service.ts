import { auditMigrations } from '@switchboard/audit';
import { directoryMigrations, openErasures } from '@switchboard/directory';
import { defineService, openAuditTrail, openReplica } from '@switchboard/http';
import { USER_STATE_TOPICS } from '@switchboard/user-state';
import { openWireUsage } from '@switchboard/wire-usage';
import { withdrawOfRemoved } from './change-requests/removal.ts';
import { flagsSettings } from './config.ts';
import { createErasure } from './erasure/erasure.ts';
import { createPosthogFlags } from './posthog/posthog.ts';
import { posthogRoutes } from './posthog/routes.ts';
import { failOfRemoved } from './scheduled-changes/removal.ts';
import { flagsMigrations } from './schema/migrations.ts';
import { unleashRoutes } from './unleash/routes.ts';
import { createUnleash } from './unleash/unleash.ts';
import { createStateChanges } from './user-state/changes.ts';
import { withGenericPlans } from './user-state/store.ts';
import { openEditing } from './wiring/editing.ts';
import { openEvaluation } from './wiring/evaluation.ts';
import { openLive } from './wiring/live.ts';
import { openRulesets } from './wiring/rulesets.ts';
import { openUsage } from './wiring/usage.ts';
import { runUserState, USER_STATE_GROUP } from './wiring/user-state.ts';

/** Flags and cohorts, their evaluation, and the user state that it reads. */
export const flagsService = defineService({
  name: 'flags',
  settings: flagsSettings,
  migrations: [directoryMigrations, auditMigrations, flagsMigrations],
  directory: openReplica(async (tx, removed) => {
    await failOfRemoved(tx, removed);
    await withdrawOfRemoved(tx, removed);
  }),
  audit: openAuditTrail,
  // A pooler does not pass settings on, and keeps no prepared statements with plans that could be reused.
  databaseUrl: ({ DATABASE_URL, DIRECT_DATABASE_URL }) =>
    DIRECT_DATABASE_URL === undefined ? withGenericPlans(DATABASE_URL) : DATABASE_URL,
  create(service) {
    const { add, app, config, database, log, run, serves } = service;
    const rulesets = openRulesets(service);
    const changes = createStateChanges({ database });
    const onChanged = (projectId: string) => {
      rulesets.invalidate(projectId);
      changes.invalidate(projectId);
    };
    if (config.ROLES.has('user-state')) runUserState(service);
    run(
      openErasures({
        ...service,
        intakes: [{ group: USER_STATE_GROUP, topics: USER_STATE_TOPICS }],
        eraser: (db) => createErasure({ database: { drizzle: db }, onChanged }),
      }),
    );
    if (!serves) {
      // A process that serves clients stays ready without a database, because it answers flags from memory.
      app.health.add('database', database.ping);
      app.health.add('event log', () => log.ping());
      return;
    }
    run(openWireUsage(service));
    add(rulesets);
    add(changes);
    openEditing(service, onChanged);
    const tallies = openUsage(service, rulesets);
    const evaluation = openEvaluation(service, { rulesets, changes, tallies });
    openLive(service, { rulesets, evaluation, tallies });
    unleashRoutes(app, createUnleash({ rulesets, evaluation, tallies }));
    posthogRoutes(app, createPosthogFlags({ evaluation, tallies }));
  },
});
