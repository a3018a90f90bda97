import { join } from 'node:path';
import { auditMigrations } from '@switchboard/audit';
import { ingestionTopics } from '@switchboard/contracts';
import {
  directoryMigrations,
  openDirectory,
  openErasures,
  readRefreshedReports,
} from '@switchboard/directory';
import { noReads } from '@switchboard/resilience';
import {
  createApp,
  createAuditTrail,
  createBackfills,
  createRetention,
  defineService,
  directUrl,
  type ExpiringData,
  migrateDatabase,
  openEventLog,
  openObjects,
  openServiceDatabase,
  projectOfRegion,
} from '@switchboard/service-kit';
import {
  createStateStore,
  createUserStateConsumer,
  SEEN_BACKFILLS,
  USER_STATE_TOPICS,
  unseenPeople,
} from '@switchboard/user-state';
import { openClickHouse, pingClickHouse } from './clickhouse/client.ts';
import { expiringEvents } from './clickhouse/expiring.ts';
import { migrateClickHouse } from './clickhouse/migrations.ts';
import { createClickhouseStore } from './clickhouse/store.ts';
import { analyticsSettings } from './config.ts';
import { createClickHouseEngine } from './engine/clickhouse.ts';
import { openDuckDb } from './engine/duckdb.ts';
import type { Engine } from './engine/engine.ts';
import { createListEvents } from './explore/events.ts';
import { createListNames } from './explore/names.ts';
import { createListProperties } from './explore/properties.ts';
import { exploreRoutes } from './explore/routes.ts';
import { CLICKHOUSE_GROUP, createFeed } from './feed/consumer.ts';
import { createFeedMetrics } from './feed/metrics.ts';
import { createFeedStore } from './feed/store.ts';
import { type FileCache, openFileCache } from './files/cache.ts';
import { createFilesConsumer } from './files/consumer.ts';
import { createFilesStore } from './files/store.ts';
import { createSweep } from './files/sweep.ts';
import { createAnswers } from './insights/answers.ts';
import { createDesk } from './insights/desk.ts';
import { createInsights } from './insights/insights.ts';
import { insightsRoutes } from './insights/routes.ts';
import { createFileSources, createTableSources } from './insights/source.ts';
import { createCohortsConsumer } from './people/cohorts-consumer.ts';
import { createErasure } from './people/erasure.ts';
import { createPeople } from './people/people.ts';
import { peopleRoutes } from './people/routes.ts';
import { createPeopleStore } from './people/store.ts';
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

/** Applies identify and group calls. */
const PEOPLE_GROUP = 'analytics.people';
const ANSWERS_BYTES = 16_000_000;
/** Apart, so that looking at events does not drop reports. */
const LISTS_BYTES = 8_000_000;
const NOT_STARTED = 'The service has not started.';

export const analyticsService = defineService({
  name: 'analytics',
  settings: analyticsSettings,
  migrations: [directoryMigrations, auditMigrations, analyticsMigrations],
  create(context) {
    const { config, logger, clock, metrics } = context;
    const serves = config.ROLES.has('http');
    const database = openServiceDatabase(context);
    const log = openEventLog(context, 'analytics', context.instance);
    const audit = createAuditTrail({ service: 'analytics', context, db: database.drizzle, log });
    const directory = openDirectory({ database, log, service: 'analytics', logger });
    const objects = required(openObjects(context), 'OBJECTS_FOLDER or S3_ENDPOINT: required');
    const app = createApp({ service: 'analytics', context, directory, database, audit });
    const store = createFilesStore(database.prepared);

    const peopleStore = createPeopleStore(database.drizzle);
    const clickHouse =
      config.CLICKHOUSE_URL === undefined ? undefined : openClickHouse(config.CLICKHOUSE_URL);
    const clickHouseStore = clickHouse && createClickhouseStore(clickHouse);
    const feeds = config.ROLES.has('clickhouse');

    // Its replica of the directory names colleagues; copies of files follow the archive's.
    const erasures = openErasures({
      database,
      databaseUrl: directUrl(config),
      log,
      service: 'analytics',
      region: config.REGION,
      logger,
      intakes: [
        { group: PEOPLE_GROUP, topics: USER_STATE_TOPICS },
        ...(clickHouse === undefined ? [] : [{ group: CLICKHOUSE_GROUP, topics: [ingestionTopics.events] }]),
      ],
      eraser: (db) => createErasure(createPeopleStore(db), clickHouseStore),
    });
    const workers: Worker[] = [erasures];
    const expiring: ExpiringData[] = [];
    if (config.ROLES.has('files')) {
      workers.push(createFilesConsumer({ store, log, logger, region: config.REGION }));
    }
    if (config.ROLES.has('people')) {
      const applied = createStateStore(database);
      // Flags applies the same calls and keeps those that cannot be applied.
      const onRejected = () => undefined;
      expiring.push(...unseenPeople(database, config.PEOPLE_RETENTION_DAYS));
      workers.push(
        createUserStateConsumer({ group: PEOPLE_GROUP, store: applied, log, logger, onRejected }),
        createCohortsConsumer({ store: peopleStore, log, logger }),
        createBackfills({
          database,
          backfills: SEEN_BACKFILLS,
          rowsPerSecond: config.BACKFILL_ROWS_PER_SECOND,
          logger,
          metrics,
        }),
      );
    }

    if (feeds) {
      const feedMetrics = createFeedMetrics(metrics);
      if (clickHouseStore !== undefined) {
        expiring.push(...expiringEvents(clickHouseStore, config.ARCHIVE_RETENTION_DAYS));
        workers.push(
          createFeed({
            store: clickHouseStore,
            blocks: createFeedStore(database.drizzle),
            log,
            logger,
            metrics: feedMetrics,
            settings: {
              blockBytes: config.CLICKHOUSE_INSERT_BYTES,
              blockAgeMs: config.CLICKHOUSE_INSERT_MS,
              bufferBytes: config.CLICKHOUSE_BUFFER_BYTES,
            },
          }),
        );
      }
    }

    if (expiring.length > 0) {
      workers.push(createRetention({ database, data: expiring, clock, logger, metrics }));
    }

    const folder = join(config.QUERY_FOLDER, context.instance);
    const opened: { engine?: Engine; cache?: FileCache } = {};
    if (serves) {
      const engine: Pick<Engine, 'query' | 'createPeople'> = {
        query: (query, signal) => required(opened.engine, NOT_STARTED).query(query, signal),
        createPeople: (signal) => required(opened.engine, NOT_STARTED).createPeople(signal),
      };
      const cache: FileCache = {
        hold: (files, signal) => required(opened.cache, NOT_STARTED).hold(files, signal),
        keys: () => opened.cache?.keys() ?? [],
        drop: async (keys) => opened.cache?.drop(keys),
        reads: () => opened.cache?.reads() ?? noReads(),
      };
      const watermark = createWatermark({
        log,
        stored: () =>
          clickHouse === undefined
            ? store.offsets(config.REGION)
            : log.committedOffsets(CLICKHOUSE_GROUP, ingestionTopics.events),
        clock,
        logger,
      });
      const desk = createDesk({
        engine,
        sources:
          clickHouse === undefined
            ? createFileSources({ store, cache })
            : createTableSources({ engine, clock }),
        maxRunning: config.QUERIES_MAX,
        maxWaiting: config.QUERIES_WAITING_MAX,
        timeoutMs: config.QUERY_TIMEOUT_MS,
      });
      const lists = createAnswers({ cacheBytes: LISTS_BYTES });
      const exploring = { desk, answers: lists, watermark, clock };
      const events = createListEvents(exploring);
      const people = createPeople({ store: peopleStore, events, engine });
      const answers = createAnswers({ cacheBytes: ANSWERS_BYTES });
      const insights = createInsights({ desk, answers, people, watermark, clock });
      metrics.cache('insights', answers.reads);
      metrics.cache('event lists', lists.reads);
      metrics.cache('archive files', cache.reads);
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
      exploreRoutes(app, {
        events,
        names: createListNames(exploring),
        properties: createListProperties(exploring),
      });
      peopleRoutes(app, { people });
      workers.push(watermark, savedReports);
      if (clickHouse === undefined) workers.push(createSweep({ store, cache, logger }));
    } else {
      app.health.add('event log', () => log.ping());
    }
    app.health.add('database', database.ping);
    if (clickHouse !== undefined) {
      const ping = () => pingClickHouse(clickHouse);
      app.health.add('clickhouse', ping);
      metrics.dependency('clickhouse', ping);
    }

    async function openEngine(): Promise<void> {
      if (clickHouse !== undefined) {
        opened.engine = createClickHouseEngine({
          client: clickHouse,
          threads: config.QUERY_THREADS,
          memoryBytes: Math.floor(context.share(config.QUERY_MEMORY_BYTES) / config.QUERIES_MAX),
          timeoutMs: config.QUERY_TIMEOUT_MS,
        });
        return;
      }
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
        await migrateDatabase(config, [directoryMigrations, auditMigrations, analyticsMigrations]);
        if ((feeds || serves) && clickHouse !== undefined) await migrateClickHouse(clickHouse);
        if (serves) {
          await openEngine();
          await directory.start();
        }
        for (const worker of workers) worker.start();
        audit.start();
      },
      async stop() {
        await Promise.all(workers.map((worker) => worker.stop()));
        if (serves) await directory.stop();
        await opened.engine?.close();
        await audit.stop();
        await log.close();
        await database.close();
        await clickHouse?.close();
        objects.close();
      },
    };
  },
});

function required<T>(part: T | undefined, message: string): T {
  if (part === undefined) throw new Error(message);
  return part;
}
