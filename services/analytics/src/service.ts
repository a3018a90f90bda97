import { join } from 'node:path';
import { auditMigrations } from '@switchboard/audit';
import { ingestionTopics } from '@switchboard/contracts';
import type { Backfill, ExpiringData } from '@switchboard/database';
import {
  directoryMigrations,
  openDirectory,
  openErasures,
  readRefreshedReports,
} from '@switchboard/directory';
import {
  createApp,
  createAuditTrail,
  createRateLimits,
  directUrl,
  migrateDatabase,
  openServiceDatabase,
  projectOfRegion,
  startable,
} from '@switchboard/http';
import { noReads } from '@switchboard/resilience';
import { createBackfills, createRetention, openEventLog, openObjects } from '@switchboard/runtime';
import {
  createStateStore,
  createUserStateConsumer,
  SEEN_BACKFILLS,
  USER_STATE_TOPICS,
  unseenPeople,
} from '@switchboard/user-state';
import { openClickHouse, pingClickHouse } from './clickhouse/client.ts';
import { expiringEvents, expiringPeople } from './clickhouse/expiring.ts';
import { migrateClickHouse } from './clickhouse/migrations.ts';
import { createClickhousePeopleStore } from './clickhouse/people-store.ts';
import { createClickhouseStore } from './clickhouse/store.ts';
import { analyticsSettings } from './config.ts';
import { CLICKHOUSE_PEOPLE_GROUP, createCopiesConsumer } from './copies/consumer.ts';
import { createPeopleCopies } from './copies/copies.ts';
import { createFillState, peopleFills } from './copies/fill.ts';
import { createCopiesStore } from './copies/store.ts';
import { createClickHouseEngine } from './engine/clickhouse.ts';
import { type DuckDb, openDuckDb } from './engine/duckdb.ts';
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
import { createInsights } from './insights/insights.ts';
import { createQueryQueue } from './insights/query-queue.ts';
import { createRespond } from './insights/respond.ts';
import { insightsRoutes } from './insights/routes.ts';
import { createFileSources, createTableSources } from './insights/source.ts';
import { createCohortsConsumer } from './people/cohorts-consumer.ts';
import { createErasure } from './people/erasure.ts';
import { createPeople } from './people/people.ts';
import { peopleRoutes } from './people/routes.ts';
import { createCopiedPeople, createTablePeople } from './people/sources.ts';
import { createPeopleStore } from './people/store.ts';
import { savedReportsRoutes } from './saved-reports/routes.ts';
import { createReportRunner } from './saved-reports/run.ts';
import { createSavedReports } from './saved-reports/saved-reports.ts';
import { createSavedReportsStore, removeSavedReports } from './saved-reports/store.ts';
import { analyticsMigrations } from './schema/migrations.ts';
import { createWatermark } from './watermark/watermark.ts';

/** Background work. `start` returns at once. */
interface Worker {
  start(): void;
  stop(): Promise<void>;
}

/** The consumer group that applies identify and group calls. */
const PEOPLE_GROUP = 'analytics.people';
const ANSWERS_BYTES = 16_000_000;
/** Separate, so that listing events does not evict reports. */
const LISTS_BYTES = 8_000_000;
const NOT_STARTED = 'The service has not started.';

export const analyticsService = startable({
  name: 'analytics',
  settings: analyticsSettings,
  migrations: [directoryMigrations, auditMigrations, analyticsMigrations],
  create(context) {
    const { config, logger, clock, metrics } = context;
    const serves = config.ROLES.has('http');
    const database = openServiceDatabase(context);
    const log = openEventLog(context, 'analytics', context.instance);
    const audit = createAuditTrail({ service: 'analytics', context, db: database.drizzle, log });
    const directory = openDirectory({
      database,
      log,
      service: 'analytics',
      logger,
      onRemoved: removeSavedReports,
    });
    const objects = required(openObjects(context, 'background'), 'OBJECTS_FOLDER or S3_ENDPOINT: required');
    const app = createApp({ service: 'analytics', context, directory, database, audit });
    const store = createFilesStore(database.prepared);

    const peopleStore = createPeopleStore(database.drizzle);
    const clickHouse = config.CLICKHOUSE_URL === undefined ? undefined : openStores(config.CLICKHOUSE_URL);
    const copiesStore = createCopiesStore(database.drizzle);
    const feeds = config.ROLES.has('clickhouse');

    // The replica of the directory names colleagues. Copies of files follow the archive's.
    const erasures = openErasures({
      database,
      databaseUrl: directUrl(config),
      log,
      service: 'analytics',
      region: config.REGION,
      logger,
      intakes: [
        { group: PEOPLE_GROUP, topics: USER_STATE_TOPICS },
        ...(clickHouse === undefined
          ? []
          : [
              { group: CLICKHOUSE_GROUP, topics: [ingestionTopics.events] },
              { group: CLICKHOUSE_PEOPLE_GROUP, topics: USER_STATE_TOPICS },
            ]),
      ],
      eraser: (db) => createErasure(db, clickHouse),
    });
    const workers: Worker[] = [erasures];
    const expiring: ExpiringData[] = [];
    /** Resolved once the tables exist. */
    const backfills: (() => Promise<readonly Backfill[]>)[] = [];
    if (config.ROLES.has('files')) {
      workers.push(createFilesConsumer({ store, log, logger, region: config.REGION }));
    }
    if (config.ROLES.has('people')) {
      const applied = createStateStore(database);
      // Flags applies the same calls and stores those that cannot be applied.
      const onRejected = () => undefined;
      expiring.push(...unseenPeople(database, config.PEOPLE_RETENTION_DAYS));
      workers.push(
        createUserStateConsumer({ group: PEOPLE_GROUP, store: applied, log, logger, onRejected }),
        createCohortsConsumer({ store: peopleStore, log, logger }),
      );
      backfills.push(async () => SEEN_BACKFILLS);
    }

    if (feeds) {
      const feedMetrics = createFeedMetrics(metrics);
      if (clickHouse !== undefined) {
        expiring.push(
          ...expiringEvents(clickHouse.events, config.ARCHIVE_RETENTION_DAYS),
          ...expiringPeople(clickHouse.people, config.PEOPLE_RETENTION_DAYS),
        );
        const copies = createPeopleCopies({ store: copiesStore, clickHouse: clickHouse.people });
        backfills.push(() => peopleFills(clickHouse.people));
        workers.push(
          createCopiesConsumer({ store: copiesStore, copies, log, logger }),
          createFeed({
            store: clickHouse.events,
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
    const opened: { engine?: Engine; duckDb?: DuckDb; cache?: FileCache } = {};
    if (serves) {
      const engine: Pick<Engine, 'query'> = {
        query: (query, signal) => required(opened.engine, NOT_STARTED).query(query, signal),
      };
      const duckDb: Pick<DuckDb, 'createPeople'> = {
        createPeople: (signal) => required(opened.duckDb, NOT_STARTED).createPeople(signal),
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
      const queue = createQueryQueue({
        engine,
        sources:
          clickHouse === undefined
            ? createFileSources({
                store,
                cache,
                people: createCopiedPeople({ store: peopleStore, engine: duckDb }),
              })
            : createTableSources({
                engine,
                people: createTablePeople({
                  engine,
                  isFilled: createFillState(copiesStore),
                }),
                clock,
              }),
        maxRunning: config.QUERIES_MAX,
        maxWaiting: config.QUERIES_WAITING_MAX,
        timeoutMs: config.QUERY_TIMEOUT_MS,
      });
      const lists = createAnswers({ cacheBytes: LISTS_BYTES });
      const exploring = { queue, answers: lists, watermark, clock };
      const events = createListEvents(exploring);
      const people = createPeople({ store: peopleStore, events });
      const answers = createAnswers({ cacheBytes: ANSWERS_BYTES });
      const insights = createInsights({ queue, answers, people, watermark, clock });
      metrics.cache('insights', answers.reads);
      metrics.cache('event lists', lists.reads);
      metrics.cache('archive files', cache.reads);
      const respond = createRespond({
        bodies: app.bodies,
        createRateLimit: createRateLimits(undefined, context.share),
        questionsPerMinute: config.QUESTIONS_PER_MINUTE,
      });
      insightsRoutes(app, { insights, respond });
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
        respond,
      });
      peopleRoutes(app, { people, respond });
      workers.push(watermark, savedReports);
      if (clickHouse === undefined) workers.push(createSweep({ store, cache, logger }));
    } else {
      app.health.add('event log', () => log.ping());
    }
    app.health.add('database', database.ping);
    if (clickHouse !== undefined) {
      const ping = () => pingClickHouse(clickHouse.client);
      app.health.add('clickhouse', ping);
      metrics.dependency('clickhouse', ping);
    }

    async function openEngine(): Promise<void> {
      if (clickHouse !== undefined) {
        opened.engine = createClickHouseEngine({
          client: clickHouse.client,
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
      opened.duckDb = await openDuckDb({
        threads: config.QUERY_THREADS,
        memoryBytes: context.share(config.QUERY_MEMORY_BYTES),
        spillFolder: join(folder, 'spill'),
        spillBytes: context.share(config.QUERY_SPILL_BYTES),
        filesFolder: join(folder, 'files'),
      });
      opened.engine = opened.duckDb;
    }

    return {
      app,
      async start() {
        await migrateDatabase(config, [directoryMigrations, auditMigrations, analyticsMigrations]);
        if ((feeds || serves) && clickHouse !== undefined) await migrateClickHouse(clickHouse.client);
        if (serves) {
          await openEngine();
          await directory.start();
        }
        workers.push(
          createBackfills({
            database,
            backfills: (await Promise.all(backfills.map((named) => named()))).flat(),
            rowsPerSecond: config.BACKFILL_ROWS_PER_SECOND,
            logger,
            metrics,
          }),
        );
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
        await clickHouse?.client.close();
        objects.close();
      },
    };
  },
});

function openStores(url: string) {
  const client = openClickHouse(url);
  return {
    client,
    events: createClickhouseStore(client),
    people: createClickhousePeopleStore(client),
  };
}

function required<T>(part: T | undefined, message: string): T {
  if (part === undefined) throw new Error(message);
  return part;
}
