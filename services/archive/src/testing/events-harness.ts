import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { DuckDBInstance } from '@duckdb/node-api';
import { coversProject } from '@switchboard/contracts';
import { type Database, migrate, openDatabase } from '@switchboard/database';
import type { BackgroundConsumer, EventLog } from '@switchboard/event-log';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { createLogger, createMetrics, type Metrics, systemClock } from '@switchboard/runtime';
import {
  eventually,
  type KafkaServer,
  postgresServer,
  startKafka,
  startS3,
  testDatabase,
} from '@switchboard/testkit';
import { afterAll, afterEach, describe, it } from 'vitest';
import { createEventConsumer, EVENTS_GROUP, type EventConsumerOptions } from '../events/consumer.ts';
import type { FileSettings } from '../events/partition.ts';
import { createEventsStore } from '../events/store.ts';
import { createFilesStore, type KnownFile } from '../files/store.ts';
import { archiveMigrations } from '../schema/migrations.ts';
import { type ArchiveThreads, openThreads } from '../wiring/threads.ts';
import { openLog } from './log.ts';
import { eventRecords, type SentEvent } from './records.ts';

/** For tests: an event consumer with its own log, database and object store. */

export const PARTITIONS = 3;
export type Row = Record<string, unknown>;

export interface EventsHarness {
  database: Database;
  log: EventLog;
  objects: ObjectStore;
  threads: ArchiveThreads;
  metrics: Metrics;
  /** Publishes events of a project as ingestion does. */
  publish(projectId: string, events: SentEvent[], receivedAt?: Date): Promise<void>;
  /** Creates a consumer as one process runs it. All dependencies can be replaced. */
  consumer(overrides?: Partial<EventConsumerOptions>): BackgroundConsumer;
  /** Resolves once the group has committed everything on the topic. */
  allCommitted(): Promise<void>;
  /** Returns every row of a project in the readable files, as DuckDB reads them. */
  rows(projectId: string): Promise<Row[]>;
  /** Returns the files with rows of a project. */
  files(projectId: string): Promise<string[]>;
  stop(): Promise<void>;
}

interface Running {
  harness: EventsHarness;
  /** Starts a consumer that stops at the end of the test. */
  run(overrides?: Partial<EventConsumerOptions>): BackgroundConsumer;
  /** The started consumers, in order. A test that removes one must stop it. */
  running: BackgroundConsumer[];
}

/** Runs tests on the embedded log with a folder, and on Kafka with S3 where available. */
export function onEachBacking(title: string, tests: (running: Running) => void): void {
  describe.each([
    ['PostgreSQL and a folder', onPostgresAndFolder],
    ['Kafka and S3', onKafkaAndS3],
  ])(`${title}, on %s`, async (_, start) => {
    const harness = await start();
    if (harness === undefined) return it.skip('with its backings', () => undefined);
    const running: BackgroundConsumer[] = [];
    afterEach(async () => {
      await Promise.all(running.splice(0).map((one) => one.stop()));
    });
    afterAll(() => harness.stop());
    tests({
      harness,
      running,
      run(overrides) {
        const consumer = harness.consumer(overrides);
        consumer.start();
        running.push(consumer);
        return consumer;
      },
    });
  });
}

export const quick: FileSettings = { fileBytes: 1_000_000, fileAgeMs: 50, bufferBytes: 4_000_000 };

export async function onPostgresAndFolder(): Promise<EventsHarness> {
  const [logDatabase, database] = await Promise.all([testDatabase(), archiveDatabase()]);
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-archive-'));
  const log = openLog({ EVENT_LOG_DATABASE_URL: logDatabase.url });
  return createHarness(log, openObjectStore({ folder }), database.url, async () => {
    await rm(folder, { recursive: true });
    await Promise.all([logDatabase.drop(), database.drop()]);
  });
}

export async function onKafkaAndS3(): Promise<EventsHarness | undefined> {
  const servers = await startServers();
  if (servers === undefined) return undefined;
  const { kafka, s3 } = servers;
  const database = await archiveDatabase();
  return createHarness(openKafka(kafka), openObjectStore(s3), database.url, async () => {
    await Promise.all([kafka.stop(), s3.stop(), database.drop()]);
  });
}

/** Uses servers that a test stops, freezes and kills. */
export async function onFailingServers() {
  const servers = await startServers();
  if (servers === undefined) return undefined;
  const { kafka, s3 } = servers;
  const postgres = await postgresServer(['archive'], { durable: true });
  await migrate(postgres.url('archive'), archiveMigrations);
  const clear = async () => void (await Promise.all([kafka.stop(), s3.stop(), postgres.remove()]));
  const harness = await createHarness(openKafka(kafka), openObjectStore(s3), postgres.url('archive'), clear);
  return { harness, kafka, s3, postgres };
}

const archiveDatabase = () => testDatabase({ migrations: [archiveMigrations] });
const openKafka = ({ brokers }: KafkaServer) => openLog({ KAFKA_BROKERS: brokers.join(',') });

async function startServers() {
  const [kafka, s3] = await Promise.all([startKafka(), startS3()]);
  if (kafka !== undefined && s3 !== undefined) return { kafka, s3 };
  await Promise.all([kafka?.stop(), s3?.stop()]);
  return undefined;
}

async function createHarness(
  log: EventLog,
  objects: ObjectStore,
  databaseUrl: string,
  clear: () => Promise<void>,
): Promise<EventsHarness> {
  const database = openDatabase({ url: databaseUrl, applicationName: 'test' });
  await log.createTopics([{ name: 'events', partitions: PARTITIONS, replication: 1, cleanup: 'delete' }]);
  const metrics = createMetrics('archive');
  const logger = createLogger({ service: 'archive', level: 'silent' });
  const store = createEventsStore(database.drizzle);
  const threads = openThreads({ size: 1, objects });
  const common = { store, log, objects, threads, clock: systemClock, logger, settings: quick };

  /** Copies the readable files of a project to a folder. */
  async function withFiles<T>(projectId: string, use: (glob: string) => Promise<T>, none: T): Promise<T> {
    const folder = await mkdtemp(join(tmpdir(), 'switchboard-archive-'));
    try {
      const found = await createFilesStore(database.drizzle).readable('0001-01-01', 100_000);
      const keys = found.filter((file) => covers(file, projectId)).map(({ key }) => key);
      for (const key of keys) {
        const object = await objects.get(key);
        if (object === undefined) throw new Error(`${key} is known but missing`);
        await mkdir(dirname(join(folder, key)), { recursive: true });
        await writeFile(join(folder, key), await buffer(object.body));
      }
      return keys.length === 0 ? none : await use(join(folder, 'events', '*', '*.parquet'));
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  const covers = (file: KnownFile, projectId: string) =>
    coversProject({ ...file, project: file.projectId }, projectId);

  return {
    database,
    log,
    objects,
    threads,
    metrics,
    async publish(projectId, events, receivedAt = new Date()) {
      await log.publish('events', eventRecords(events, { projectId, receivedAt, partitions: PARTITIONS }));
    },
    consumer: (overrides) =>
      createEventConsumer({ ...common, metrics: createMetrics('archive'), ...overrides }),
    allCommitted: () =>
      eventually(
        async () => {
          for (const { behind } of await log.lag(EVENTS_GROUP, ['events'])) {
            if (behind > 0n) throw new Error(`${behind} records are not archived`);
          }
        },
        { withinMs: 60_000 },
      ),
    files: (projectId) =>
      withFiles(
        projectId,
        async (glob) => {
          const rows = await query(
            `select distinct filename from read_parquet('${glob}', filename = true)
             where project_id = '${projectId}' order by 1`,
          );
          return rows.map(({ filename }) => String(filename).replace(/^.*\/events\//, 'events/'));
        },
        [],
      ),
    rows: (projectId) =>
      withFiles(
        projectId,
        (glob) =>
          query(
            `select * from read_parquet('${glob}') where project_id = '${projectId}'
             order by log_partition, log_offset, log_line`,
          ),
        [],
      ),
    async stop() {
      await threads.stop();
      await log.close();
      objects.close();
      await database.close();
      await clear();
    },
  };
}

/** Shared by all queries of a test process. To open one takes longer than most queries. */
let instance: Promise<DuckDBInstance> | undefined;

/** Returns the result of a DuckDB query, as JSON. */
export async function query(sql: string): Promise<Row[]> {
  instance ??= DuckDBInstance.create();
  const connection = await (await instance).connect();
  try {
    await connection.run("set timezone = 'UTC'");
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
  }
}

/** Returns an event as a client sends it, with unique ids. */
export function sent(fields: Partial<SentEvent> = {}): SentEvent {
  return {
    distinct_id: `user-${Math.floor(Math.random() * 50)}`,
    event_id: randomUUID(),
    event_name: 'page viewed',
    schema_version: 1,
    timestamp: '2026-03-01T09:30:00.000Z',
    ...fields,
  };
}

export const newProject = (): string => `project-${randomUUID()}`;

export function eventIds(rows: Row[]): unknown[] {
  return rows.map((row) => row['event_id']);
}
