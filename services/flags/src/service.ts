import { migrate, openDatabase } from '@switchboard/database';
import { directoryMigrations, openDirectory } from '@switchboard/directory';
import type { Hub } from '@switchboard/realtime';
import { createApp, defineService, openEventLog } from '@switchboard/service-kit';
import { flagsSettings } from './config.ts';
import { createEvaluation } from './evaluation/evaluation.ts';
import { evaluationRoutes } from './evaluation/routes.ts';
import { createLiveChanges, type LiveChanges } from './live/changes.ts';
import { openSockets, socketRoute } from './live/socket.ts';
import { flagsMigrations } from './migrations.ts';
import { createCohorts } from './rulesets/cohorts.ts';
import { createFlags } from './rulesets/flags.ts';
import { managementRoutes } from './rulesets/routes.ts';
import { createRulesets } from './rulesets/rulesets.ts';
import { snapshotRoutes } from './snapshot/routes.ts';
import { createSnapshots } from './snapshot/snapshot.ts';
import { createUserStateConsumer } from './user-state/consumer.ts';
import { findUserStates, planningOnce } from './user-state/lookup.ts';
import { readPositions } from './user-state/positions.ts';
import { createUserStateReader } from './user-state/reader.ts';
import { createStateWaits } from './user-state/state-waits.ts';

export const flagsService = defineService({
  name: 'flags',
  settings: flagsSettings,
  migrations: [directoryMigrations, flagsMigrations],
  create(context) {
    const { config, logger } = context;
    const serves = config.ROLES.has('http');
    const database = openDatabase({ url: planningOnce(config.DATABASE_URL), applicationName: 'flags' });
    const log = openEventLog(context, 'flags');
    const directory = openDirectory({ database, log, service: 'flags', logger });
    const app = createApp({ service: 'flags', context, directory, database });

    const rulesets = createRulesets({ database, maxSize: config.RULESET_CACHE_BYTES });
    const userState = createUserStateReader({
      find: (names) => findUserStates(database, names),
      timeoutMs: config.STATE_TIMEOUT_MS,
    });
    const waits = createStateWaits({ read: () => readPositions(database) });
    const consumer = config.ROLES.has('user-state')
      ? createUserStateConsumer({ database, log, logger })
      : undefined;

    let sockets: Hub | undefined;
    let live: LiveChanges | undefined;
    if (serves) {
      const editing = { database, onChanged: rulesets.changed };
      evaluationRoutes(app, createEvaluation({ rulesets, userState }), waits);
      snapshotRoutes(app, createSnapshots({ rulesets, publicUrl: config.PUBLIC_API_URL }));
      managementRoutes(app, {
        flags: createFlags(editing),
        cohorts: createCohorts(editing),
        directory,
        region: config.REGION,
      });
      sockets = openSockets(app, context);
      live = createLiveChanges({ rulesets, hub: sockets, logger });
      socketRoute(app, sockets, live);
    } else {
      // No such check on a process that answers clients: without a database flags are answered from memory.
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
      },
      async stop() {
        live?.stop();
        sockets?.close();
        await consumer?.stop();
        if (serves) await directory.stop();
        await rulesets.stop();
        await log.close();
        await database.close();
      },
    };
  },
});
