import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { DuckDBInstance } from '@duckdb/node-api';
import type { EventBatch } from '@switchboard/contracts';
import { type Database, migrate, openDatabase } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { createLogger, createMetrics, type Metrics, systemClock } from '@switchboard/service-kit';
import {
  eventually,
  type KafkaServer,
  postgresServer,
  startKafka,
  startS3,
  testDatabase,
} from '@switchboard/testkit';
import { afterAll, afterEach, describe, it } from 'vitest';
import { eventRecords } from '../events/event-records.ts';
import { ingestionMigrations } from '../migrations.ts';
import { openLog } from '../test-service.ts';
import { createEventArchive, type EventArchive, eventArchiveGroup } from './event-archive.ts';
import type { ArchiveSettings } from './partition.ts';

/** For tests: an event archive on a log, a database and an object store of its own. */

export const PARTITIONS = 3;
export type SentEvent = EventBatch['events'][number];
export type Row = Record<string, unknown>;

export interface ArchiveWorld {
  database: Database;
  log: EventLog;
  objects: ObjectStore;
  metrics: Metrics;
  /** Publishes events of a project as ingestion does. */
  publish(projectId: string, events: SentEvent[], receivedAt?: Date): Promise<void>;
  /** An archive as one process runs it; anything it works with may be replaced. */
  archive(
    overrides?: Partial<Parameters<typeof createEventArchive>[0]>,
  ): ReturnType<typeof createEventArchive>;
  /** Resolves once the group has committed everything on the topic. */
  allCommitted(): Promise<void>;
  /** Every row of a project's files, as DuckDB reads them. */
  rows(projectId: string): Promise<Row[]>;
  files(projectId: string): Promise<string[]>;
  stop(): Promise<void>;
}

interface Archiving {
  world: ArchiveWorld;
  /** Starts an archive, which ends with its test. */
  run(overrides?: Parameters<ArchiveWorld['archive']>[0]): EventArchive;
  /** Those that were started, in this order; who takes one out stops it. */
  running: EventArchive[];
}

/** Tests on the embedded log with a folder, and on Kafka with S3 where they are to be had. */
export function onEachBacking(title: string, tests: (archiving: Archiving) => void): void {
  describe.each([
    ['PostgreSQL and a folder', onPostgresAndFolder],
    ['Kafka and S3', onKafkaAndS3],
  ])(`${title}, on %s`, async (_, start) => {
    const world = await start();
    if (world === undefined) return it.skip('with its backings', () => undefined);
    const running: EventArchive[] = [];
    afterEach(async () => {
      await Promise.all(running.splice(0).map((one) => one.stop()));
    });
    afterAll(() => world.stop());
    tests({
      world,
      running,
      run(overrides) {
        const archive = world.archive(overrides);
        archive.start();
        running.push(archive);
        return archive;
      },
    });
  });
}

export const quick: ArchiveSettings = { fileBytes: 1_000_000, fileAgeMs: 50, bufferBytes: 4_000_000 };

export async function onPostgresAndFolder(): Promise<ArchiveWorld> {
  const [logDatabase, bookkeeping] = await Promise.all([testDatabase(), bookkeepingDatabase()]);
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-archive-'));
  const log = openLog({ EVENT_LOG_DATABASE_URL: logDatabase.url });
  return createWorld(log, openObjectStore({ folder }), bookkeeping.url, async () => {
    await rm(folder, { recursive: true });
    await Promise.all([logDatabase.drop(), bookkeeping.drop()]);
  });
}

export async function onKafkaAndS3(): Promise<ArchiveWorld | undefined> {
  const servers = await startServers();
  if (servers === undefined) return undefined;
  const { kafka, s3 } = servers;
  const bookkeeping = await bookkeepingDatabase();
  return createWorld(openKafka(kafka), openObjectStore(s3), bookkeeping.url, async () => {
    await Promise.all([kafka.stop(), s3.stop(), bookkeeping.drop()]);
  });
}

/** With servers to be stopped, frozen and killed. */
export async function onServersAtFault() {
  const servers = await startServers();
  if (servers === undefined) return undefined;
  const { kafka, s3 } = servers;
  const postgres = await postgresServer(['ingestion'], { durable: true });
  await migrate(postgres.url('ingestion'), ingestionMigrations);
  const clear = async () => void (await Promise.all([kafka.stop(), s3.stop(), postgres.remove()]));
  const world = await createWorld(openKafka(kafka), openObjectStore(s3), postgres.url('ingestion'), clear);
  return { world, kafka, s3, postgres };
}

const bookkeepingDatabase = () => testDatabase({ migrations: [ingestionMigrations] });
const openKafka = ({ brokers }: KafkaServer) => openLog({ KAFKA_BROKERS: brokers.join(',') });

async function startServers() {
  const [kafka, s3] = await Promise.all([startKafka(), startS3()]);
  if (kafka !== undefined && s3 !== undefined) return { kafka, s3 };
  await Promise.all([kafka?.stop(), s3?.stop()]);
  return undefined;
}

async function createWorld(
  log: EventLog,
  objects: ObjectStore,
  databaseUrl: string,
  clear: () => Promise<void>,
): Promise<ArchiveWorld> {
  const database = openDatabase({ url: databaseUrl, applicationName: 'test' });
  await log.createTopics([{ name: 'events', partitions: PARTITIONS, replication: 1, cleanup: 'delete' }]);
  const metrics = createMetrics('ingestion');
  const logger = createLogger({ service: 'ingestion', level: 'silent' });
  const common = { database, log, objects, clock: systemClock, logger, settings: quick, retentionHours: 168 };

  const files = async (projectId: string) => {
    const keys: string[] = [];
    for await (const { key } of objects.list(`events/${projectId}/`)) keys.push(key);
    return keys;
  };

  return {
    database,
    log,
    objects,
    metrics,
    async publish(projectId, events, receivedAt = new Date()) {
      const batch = { events, sent_at: receivedAt.toISOString() };
      await log.publish('events', eventRecords(batch, { projectId, receivedAt, partitions: PARTITIONS }));
    },
    archive: (overrides) =>
      createEventArchive({ ...common, metrics: createMetrics('ingestion'), ...overrides }),
    allCommitted: () =>
      eventually(
        async () => {
          for (const { behind } of await log.lag(eventArchiveGroup, ['events'])) {
            if (behind > 0n) throw new Error(`${behind} records are not archived`);
          }
        },
        { withinMs: 60_000 },
      ),
    files,
    async rows(projectId) {
      const folder = await mkdtemp(join(tmpdir(), 'switchboard-archive-'));
      try {
        for (const key of await files(projectId)) {
          const object = await objects.get(key);
          if (object === undefined) throw new Error(`${key} is listed and not there`);
          await mkdir(dirname(join(folder, key)), { recursive: true });
          await writeFile(join(folder, key), await buffer(object.body));
        }
        const all = join(folder, 'events', projectId, '*', '*.parquet');
        return await query(
          `select * from read_parquet('${all}') order by log_partition, log_offset, log_line`,
        );
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    async stop() {
      await log.close();
      objects.close();
      await database.close();
      await clear();
    },
  };
}

/** What DuckDB answers, as JSON. */
export async function query(sql: string): Promise<Row[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    await connection.run("set timezone = 'UTC'");
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** An event as a client sends it, with ids of its own. */
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
