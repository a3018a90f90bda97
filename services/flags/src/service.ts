import { auditMigrations } from '@switchboard/audit';
import { directoryMigrations, openDirectory, openErasures } from '@switchboard/directory';
import {
  createApp,
  createAuditTrail,
  directUrl,
  migrateDatabase,
  openServiceDatabase,
  projectOfRegion,
  startable,
} from '@switchboard/http';
import type { Hub } from '@switchboard/realtime';
import { shareOfHeap } from '@switchboard/resilience';
import { createBackfills, createRetention, openEventLog } from '@switchboard/runtime';
import {
  createStateStore,
  createUserStateConsumer,
  SEEN_BACKFILLS,
  USER_STATE_TOPICS,
  unseenPeople,
} from '@switchboard/user-state';
import { createCohortsPublisher } from './cohort-records/publisher.ts';
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
import { createMaking, type Making } from './scheduled-changes/make.ts';
import { failOfRemoved } from './scheduled-changes/removal.ts';
import { scheduledChangesRoutes } from './scheduled-changes/routes.ts';
import { createScheduledChanges } from './scheduled-changes/scheduled-changes.ts';
import { flagsMigrations } from './schema/migrations.ts';
import { snapshotRoutes } from './snapshot/routes.ts';
import { createSnapshots } from './snapshot/snapshot.ts';
import { createCatchUp } from './user-state/catch-up.ts';
import { createStateChanges } from './user-state/changes.ts';
import { createKnownPeople } from './user-state/known-people.ts';
import { createUserStateStore, withGenericPlans } from './user-state/store.ts';
import { createUserState } from './user-state/user-state.ts';

/** The rulesets' share of the heap. Answers use a tenth, requests, the directory and garbage collection the rest. */
const RULESETS_SHARE = 0.4;
const RULESETS_MAX_BYTES = 512 * 1024 * 1024;

/** Background work. `start` returns immediately. */
interface Worker {
  start(): void;
  stop(): Promise<void>;
}

/** The consumer group that applies identify and group calls. */
const USER_STATE_GROUP = 'flags.user-state';

export const flagsService = startable({
  name: 'flags',
  settings: flagsSettings,
  migrations: [directoryMigrations, auditMigrations, flagsMigrations],
  create(context) {
    const { config, logger, clock, metrics } = context;
    const serves = config.ROLES.has('http');
    // A pooler does not pass settings on, and keeps no prepared statements with plans that could be reused.
    const database = openServiceDatabase(
      context,
      config.DIRECT_DATABASE_URL === undefined ? withGenericPlans(config.DATABASE_URL) : config.DATABASE_URL,
    );
    const log = openEventLog(context, 'flags', context.instance);
    const audit = createAuditTrail({ service: 'flags', context, db: database.drizzle, log });
    const directory = openDirectory({ database, log, service: 'flags', logger, onRemoved: failOfRemoved });
    const app = createApp({ service: 'flags', context, directory, database, audit });

    const rulesets = createRulesets({
      database,
      maxBytes:
        config.RULESET_CACHE_BYTES === undefined
          ? shareOfHeap(RULESETS_SHARE, RULESETS_MAX_BYTES)
          : context.share(config.RULESET_CACHE_BYTES),
    });
    const people = createStateStore(database);
    const changes = createStateChanges({ database });
    const onChanged = (projectId: string) => {
      rulesets.invalidate(projectId);
      changes.invalidate(projectId);
    };
    const workers: Worker[] = [];
    if (config.ROLES.has('user-state')) {
      workers.push(
        createUserStateConsumer({ group: USER_STATE_GROUP, store: people, log, logger }),
        createCohortsPublisher({ database, log, replication: config.TOPIC_REPLICATION, logger }),
        createRetention({
          database,
          data: unseenPeople(database, config.PEOPLE_RETENTION_DAYS),
          clock,
          logger,
          metrics,
        }),
        createBackfills({
          database,
          backfills: SEEN_BACKFILLS,
          rowsPerSecond: config.BACKFILL_ROWS_PER_SECOND,
          logger,
          metrics,
        }),
      );
    }

    const erasures = openErasures({
      database,
      databaseUrl: directUrl(config),
      log,
      service: 'flags',
      region: config.REGION,
      logger,
      intakes: [{ group: USER_STATE_GROUP, topics: USER_STATE_TOPICS }],
      eraser: (db) => createErasure({ database: { drizzle: db }, onChanged }),
    });

    let sockets: Hub | undefined;
    let live: LiveChanges | undefined;
    let making: Making | undefined;
    if (serves) {
      const userState = createUserState({
        find: createUserStateStore(database).findStates,
        timeoutMs: config.STATE_TIMEOUT_MS,
      });
      const catchUp = createCatchUp({ listPositions: people.listPositions });
      const known = createKnownPeople({ userState, changes });
      const evaluation = createEvaluation({ rulesets, people: known });
      metrics.cache('rulesets', rulesets.reads);
      metrics.cache('flag answers', evaluation.reads);
      metrics.cache('user states', known.reads);
      evaluationRoutes(app, { evaluation, catchUp });
      snapshotRoutes(app, { snapshots: createSnapshots({ rulesets, publicUrl: config.PUBLIC_API_URL }) });

      const editing = { database, onChanged };
      const ofProject = projectOfRegion(directory, config.REGION);
      flagsRoutes(app, { flags: createFlags(editing), ofProject });
      const scheduled = createScheduledChanges({ ...editing, clock });
      scheduledChangesRoutes(app, { scheduled, ofProject });
      making = createMaking({ ...editing, directory, region: config.REGION, audit, logger, metrics });
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
      // A process that serves clients stays ready without a database, because it answers flags from memory.
      app.health.add('database', database.ping);
      app.health.add('event log', () => log.ping());
    }

    return {
      app,
      async start() {
        await migrateDatabase(config, [directoryMigrations, auditMigrations, flagsMigrations]);
        if (serves) {
          await rulesets.start();
          await changes.start();
          await directory.start();
          making?.start();
        }
        for (const worker of workers) worker.start();
        erasures.start();
        audit.start();
      },
      drain() {
        live?.stop();
        sockets?.close();
      },
      async stop() {
        await erasures.stop();
        await making?.stop();
        await Promise.all(workers.map((worker) => worker.stop()));
        if (serves) await directory.stop();
        await Promise.all([rulesets.stop(), changes.stop()]);
        await audit.stop();
        await log.close();
        await database.close();
      },
    };
  },
});
