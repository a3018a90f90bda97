import { join } from 'node:path';
import { ARCHIVE_FILES_TOPIC } from '@switchboard/contracts';
import { migrate, openDatabase } from '@switchboard/database';
import {
  directoryMigrations,
  openDirectory,
  openErasures,
  readRefreshedReports,
} from '@switchboard/directory';
import {
  createApp,
  currentHolder,
  defineService,
  openEventLog,
  openObjects,
  projectOfRegion,
} from '@switchboard/service-kit';
import { analyticsSettings } from './config.ts';
import { type Engine, openDuckDb } from './engine/duckdb.ts';
import { createExplore } from './explore/explore.ts';
import { exploreRoutes } from './explore/routes.ts';
import { type FileCache, openFileCache } from './files/cache.ts';
import { createFilesConsumer } from './files/consumer.ts';
import { createFilesStore } from './files/store.ts';
import { createSweep } from './files/sweep.ts';
import { createDesk } from './insights/desk.ts';
import { createInsights } from './insights/insights.ts';
import { insightsRoutes } from './insights/routes.ts';
import { createSources } from './insights/source.ts';
import { savedReportsRoutes } from './saved-reports/routes.ts';
import { createReportRunner } from './saved-reports/run.ts';
import { createSavedReports } from './saved-reports/saved-reports.ts';
import { createSavedReportsStore } from './saved-reports/store.ts';
import { analyticsMigrations } from './schema/migrations.ts';
import { createWatermark } from './watermark/watermark.ts';

/** Background work. `start` returns at once. */
interface Worker {
  start(): void;
  stop(): Promise<void>;
}

const ANSWERS_BYTES = 16_000_000;
const NOT_STARTED = 'The service has not started.';

export const analyticsService = defineService({
  name: 'analytics',
  settings: analyticsSettings,
  migrations: [directoryMigrations, analyticsMigrations],
  create(context) {
    const { config, logger, clock } = context;
    const serves = config.ROLES.has('http');
    const database = openDatabase({
      url: config.DATABASE_URL,
      applicationName: context.instance,
      holder: currentHolder,
    });
    const log = openEventLog(context, context.instance);
    const directory = openDirectory({ database, log, service: 'analytics', logger });
    const objects = required(openObjects(config), 'OBJECTS_FOLDER or S3_ENDPOINT: required');
    const app = createApp({ service: 'analytics', context, directory, database });
    const store = createFilesStore(database.drizzle);

    // Its replica of the directory names colleagues; copies of files follow the archive's.
    const erasures = openErasures({
      database,
      databaseUrl: config.DATABASE_URL,
      log,
      service: 'analytics',
      region: config.REGION,
      logger,
    });
    const workers: Worker[] = [erasures];
    if (config.ROLES.has('files')) {
      workers.push(createFilesConsumer({ store, log, logger, region: config.REGION }));
    }

    const folder = join(config.QUERY_FOLDER, context.instance);
    const opened: { engine?: Engine; cache?: FileCache } = {};
    if (serves) {
      const engine: Pick<Engine, 'query'> = {
        query: (query, signal) => required(opened.engine, NOT_STARTED).query(query, signal),
      };
      const cache: FileCache = {
        hold: (files) => required(opened.cache, NOT_STARTED).hold(files),
        keys: () => opened.cache?.keys() ?? [],
        drop: async (keys) => opened.cache?.drop(keys),
      };
      const watermark = createWatermark({ log, clock, logger, filesTopic: ARCHIVE_FILES_TOPIC });
      const desk = createDesk({
        engine,
        sources: createSources({ store, cache }),
        maxRunning: config.QUERIES_MAX,
        maxWaiting: config.QUERIES_WAITING_MAX,
        timeoutMs: config.QUERY_TIMEOUT_MS,
      });
      const insights = createInsights({ desk, watermark, clock, cacheBytes: ANSWERS_BYTES });
      insightsRoutes(app, { insights });
      const savedReports = createSavedReports({
        store: createSavedReportsStore(database.drizzle),
        runner: createReportRunner({ directory, insights, region: config.REGION, clock }),
        scheduled: (after) => readRefreshedReports(database.drizzle, after),
        log,
        replication: config.TOPIC_REPLICATION,
        clock,
        logger,
      });
      savedReportsRoutes(app, { savedReports, ofProject: projectOfRegion(directory, config.REGION) });
      exploreRoutes(app, { explore: createExplore({ desk, watermark, clock }) });
      workers.push(watermark, createSweep({ store, cache, logger }), savedReports);
    } else {
      app.health.add('event log', () => log.ping());
    }
    app.health.add('database', database.ping);

    async function openFolders(): Promise<void> {
      opened.cache = await openFileCache({
        objects,
        folder: join(folder, 'files'),
        maxBytes: context.share(config.QUERY_CACHE_BYTES),
      });
      opened.engine = await openDuckDb({
        threads: config.QUERY_THREADS,
        memoryBytes: context.share(config.QUERY_MEMORY_BYTES),
        spillFolder: join(folder, 'spill'),
        spillBytes: context.share(config.QUERY_SPILL_BYTES),
        filesFolder: join(folder, 'files'),
      });
    }

    return {
      app,
      async start() {
        await migrate(config.DATABASE_URL, directoryMigrations);
        await migrate(config.DATABASE_URL, analyticsMigrations);
        if (serves) {
          await openFolders();
          await directory.start();
        }
        for (const worker of workers) worker.start();
      },
      async stop() {
        await Promise.all(workers.map((worker) => worker.stop()));
        if (serves) await directory.stop();
        opened.engine?.close();
        await log.close();
        await database.close();
        objects.close();
      },
    };
  },
});

function required<T>(part: T | undefined, message: string): T {
  if (part === undefined) throw new Error(message);
  return part;
}
