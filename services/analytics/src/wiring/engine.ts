import { join } from 'node:path';
import { ingestionTopics } from '@switchboard/contracts';
import { openObjects } from '@switchboard/runtime';
import { CLICKHOUSE_GROUP } from '../clickhouse-sink/consumer.ts';
import type { Analytics } from '../config.ts';
import { createClickHouseEngine } from '../engine/clickhouse.ts';
import { createDuckDb } from '../engine/duckdb.ts';
import type { Engine } from '../engine/engine.ts';
import { createFileCache } from '../files/cache.ts';
import { createFilesStore } from '../files/store.ts';
import { createSweep } from '../files/sweep.ts';
import { createKeptRows } from '../kept/kept-rows.ts';
import { createCopiedPeople, createTablePeople } from '../people/sources.ts';
import { createPeopleStore } from '../people/store.ts';
import { createFillState } from '../people-sync/fill.ts';
import { createPeopleSyncStore } from '../people-sync/store.ts';
import { createCopiedPersons, createTablePersons } from '../persons/sources.ts';
import { createPersonsStore } from '../persons/store.ts';
import type { QueryLimits } from '../query-queue/query-queue.ts';
import { createFileSources, createTableSources, type Sources } from '../query-queue/source.ts';
import { createClickHouseSql } from '../sql-queries/clickhouse/compute.ts';
import { createDuckDbSql } from '../sql-queries/duckdb/compute.ts';
import { createSqlProcesses } from '../sql-queries/duckdb/runner.ts';
import type { SqlEngine } from '../sql-queries/query.ts';
import { createSqlQueriesStore } from '../sql-queries/store.ts';
import { createPeopleCounting } from '../timelines/timelines.ts';
import type { ClickHouseStores } from './clickhouse.ts';

/** The shares of the disk for copies of files, and for rows kept of them. Intermediate results take the rest. */
const CACHE_SHARE = 1 / 2;
const KEPT_SHARE = 1 / 6;
/** The shares of memory and of the space for intermediate results that a SQL query has. */
const SQL_MEMORY_SHARE = 1 / 4;
const SQL_SPILL_SHARE = 1 / 4;
/** In ClickHouse, the space for intermediate results is a multiple of the memory. */
const SQL_SPILL_FACTOR = 10;
/** The memory of the process of a SQL query besides the share. */
const SQL_PROCESS_BYTES = 250_000_000;

/** An engine and what its queries read. */
interface Opened {
  engine: Engine;
  sources: Sources;
  /** Returns the end offsets by partition: the events before them can be queried. */
  stored(): Promise<readonly bigint[]>;
  sql: SqlEngine;
}

/** Opens the engine that computes queries from the tables in ClickHouse. */
export function openTables(
  service: Analytics,
  { client }: ClickHouseStores,
  { maxRunning, timeoutMs }: QueryLimits,
): Opened {
  const { add, clock, config, db, log, share } = service;
  const engine = createClickHouseEngine({
    client,
    threads: config.QUERY_THREADS,
    memoryBytes: Math.floor(share(config.QUERY_MEMORY_BYTES) / maxRunning),
    timeoutMs,
  });
  add(engine, { stop: engine.close });
  const sqlBytes = Math.floor(share(config.QUERY_MEMORY_BYTES) * SQL_MEMORY_SHARE);
  const sql = createClickHouseSql({
    client,
    rows: createSqlQueriesStore(db),
    memoryBytes: sqlBytes,
    spillBytes: sqlBytes * SQL_SPILL_FACTOR,
    timeoutMs,
  });
  const people = createTablePeople({ engine, isFilled: createFillState(createPeopleSyncStore(db)) });
  return {
    engine,
    sources: createTableSources({ engine, people, persons: createTablePersons({ engine }), clock }),
    stored: () => log.committedOffsets(CLICKHOUSE_GROUP, ingestionTopics.events),
    sql,
  };
}

/** Opens the engine that computes queries from copies of the archive's files. */
export function openFiles(service: Analytics): Opened {
  const { add, config, database, db, instance, metrics, region, run, share } = service;
  const objects = openObjects(service, 'background');
  if (objects === undefined) throw new Error('OBJECTS_FOLDER or S3_ENDPOINT: required');
  add(objects, { stop: objects.close });
  const folder = join(config.QUERY_FOLDER, instance);
  const filesFolder = join(folder, 'files');
  const diskBytes = share(config.QUERY_DISK_BYTES);
  const maxBytes = Math.floor(diskBytes * CACHE_SHARE);
  const keptBytes = Math.floor(diskBytes * KEPT_SHARE);
  const spillBytes = diskBytes - maxBytes - keptBytes;
  const sqlSpillBytes = Math.floor(spillBytes * SQL_SPILL_SHARE);
  const sqlBytes = Math.floor(share(config.QUERY_MEMORY_BYTES) * SQL_MEMORY_SHARE);
  const cache = add(createFileCache({ objects, folder: filesFolder, maxBytes }));
  metrics.cache('archive files', cache.reads);
  const engine = createDuckDb({
    threads: config.QUERY_THREADS,
    memoryBytes: share(config.QUERY_MEMORY_BYTES),
    spillFolder: join(folder, 'spill'),
    spillBytes: spillBytes - sqlSpillBytes,
    filesFolder,
  });
  add(engine, { start: engine.start, stop: engine.close });
  // Starts after the cache, which empties the folder around its own.
  const kept = add(
    createKeptRows({ ...service, engine, cache, folder: join(filesFolder, 'kept'), maxBytes: keptBytes }),
  );
  metrics.cache('kept rows', kept.reads);
  metrics.gauge(
    'switchboard_kept_rows_bytes',
    'Bytes of rows that insights keep of archived files.',
    kept.bytes,
  );
  const store = createFilesStore(database.prepared);
  const people = createCopiedPeople({ store: createPeopleStore(db), engine });
  const persons = createCopiedPersons({ store: createPersonsStore(db), engine });
  run(createSweep({ ...service, store, cache, kept, persons }));
  return {
    engine,
    sources: createFileSources({
      ...{ store, cache, kept, people, persons },
      countPeople: createPeopleCounting({ engine, kept }),
    }),
    stored: () => store.offsets(region),
    sql: createDuckDbSql({
      engine,
      useProcess: createSqlProcesses({ maxBytes: sqlBytes + SQL_PROCESS_BYTES }),
      rows: createSqlQueriesStore(db),
      folder: join(filesFolder, 'sql'),
      memoryBytes: sqlBytes,
      spillBytes: sqlSpillBytes,
    }),
  };
}
