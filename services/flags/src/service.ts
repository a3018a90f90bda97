import { migrate, openDatabase } from '@switchboard/database';
import { directoryMigrations, openDirectory, openErasures } from '@switchboard/directory';
import type { Hub } from '@switchboard/realtime';
import { shareOfHeap } from '@switchboard/resilience';
import {
  createApp,
  currentHolder,
  defineService,
  openEventLog,
  projectOfRegion,
} from '@switchboard/service-kit';
import { createCohorts } from './cohorts/cohorts.ts';
import { cohortsRoutes } from './cohorts/routes.ts';
import { flagsSettings } from './config.ts';
import { createErasure } from './erasure/erasure.ts';
import { createEvaluation } from './evaluation/evaluation.ts';
import { evaluationRoutes } from './evaluation/routes.ts';
import { createFlags } from './flags/flags.ts';
import { flagsRoutes } from './flags/routes.ts';
import { createLiveChanges, type LiveChanges } from './live/live.ts';
import { liveRoutes } from './live/routes.ts';
import { openSockets } from './live/sockets.ts';
import { createOfrep } from './ofrep/ofrep.ts';
import { ofrepRoutes } from './ofrep/routes.ts';
import { createRulesets } from './rulesets/rulesets.ts';
import { flagsMigrations } from './schema/migrations.ts';
import { snapshotRoutes } from './snapshot/routes.ts';
import { createSnapshots } from './snapshot/snapshot.ts';
import { createCatchUp } from './user-state/catch-up.ts';
import { createUserStateConsumer, USER_STATE_INTAKE } from './user-state/consumer.ts';
import { createUserStateStore, withGenericPlans } from './user-state/store.ts';
import { createUserState } from './user-state/user-state.ts';

/** Answers take a tenth of the heap. The rest is for requests, the directory and the garbage collector. */
const RULESETS_SHARE = 0.4;
const RULESETS_MAX_BYTES = 512 * 1024 * 1024;

export const flagsService = defineService({
  name: 'flags',
  settings: flagsSettings,
  migrations: [directoryMigrations, flagsMigrations],
  create(context) {
    const { config, logger } = context;
    const serves = config.ROLES.has('http');
    const database = openDatabase({
      url: withGenericPlans(config.DATABASE_URL),
      applicationName: context.instance,
      holder: currentHolder,
    });
    const log = openEventLog(context, context.instance);
    const directory = openDirectory({ database, log, service: 'flags', logger });
    const app = createApp({ service: 'flags', context, directory, database });

    const rulesets = createRulesets({
      database,
      maxBytes:
        config.RULESET_CACHE_BYTES === undefined
          ? shareOfHeap(RULESETS_SHARE, RULESETS_MAX_BYTES)
          : context.share(config.RULESET_CACHE_BYTES),
    });
    const store = createUserStateStore(database);
    const consumer = config.ROLES.has('user-state')
      ? createUserStateConsumer({ store, log, logger })
      : undefined;

    const erasures = openErasures({
      database,
      databaseUrl: config.DATABASE_URL,
      log,
      service: 'flags',
      region: config.REGION,
      logger,
      intakes: [USER_STATE_INTAKE],
      eraser: (db) => createErasure({ database: { drizzle: db }, onChanged: rulesets.invalidate }),
    });

    let sockets: Hub | undefined;
    let live: LiveChanges | undefined;
    if (serves) {
      const userState = createUserState({ find: store.findStates, timeoutMs: config.STATE_TIMEOUT_MS });
      const catchUp = createCatchUp({ listPositions: store.listPositions });
      const evaluation = createEvaluation({ rulesets, userState });
      evaluationRoutes(app, { evaluation, catchUp });
      snapshotRoutes(app, { snapshots: createSnapshots({ rulesets, publicUrl: config.PUBLIC_API_URL }) });

      const editing = { database, onChanged: rulesets.invalidate };
      const ofProject = projectOfRegion(directory, config.REGION);
      flagsRoutes(app, { flags: createFlags(editing), ofProject });
      cohortsRoutes(app, { cohorts: createCohorts(editing), ofProject });

      sockets = openSockets(app, context);
      live = createLiveChanges({ rulesets, sockets, logger });
      liveRoutes(app, { sockets, live });
      ofrepRoutes(app, {
        ofrep: createOfrep({ evaluation, publicUrl: config.PUBLIC_API_URL }),
        sockets,
        live,
      });
    } else {
      // A process that serves clients stays ready without a database: it answers flags from memory.
      app.health.add('database', database.ping);
      app.health.add('event log', () => log.ping());
    }

    return {
      app,
      async start() {
        await migrate(config.DATABASE_URL, directoryMigrations);
        await migrate(config.DATABASE_URL, flagsMigrations);
        if (serves) {
          await rulesets.start();
          await directory.start();
        }
        consumer?.start();
        erasures.start();
      },
      drain() {
        live?.stop();
        sockets?.close();
      },
      async stop() {
        await erasures.stop();
        await consumer?.stop();
        if (serves) await directory.stop();
        await rulesets.stop();
        await log.close();
        await database.close();
      },
    };
  },
});
