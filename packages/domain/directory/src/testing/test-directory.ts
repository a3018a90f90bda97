import { randomUUID } from 'node:crypto';
import { type Database, openDatabase } from '@switchboard/database';
import {
  type EventLog,
  openKafkaLog,
  openPostgresLog,
  readTopic,
  type StoredRecord,
} from '@switchboard/event-log';
import { backing, type TestDatabase, testDatabase } from '@switchboard/testkit';
import {
  DIRECTORY_TOMBSTONE_RETENTION_MS,
  type Directory,
  type DirectoryRecord,
  directoryMigrations,
  openDirectory,
  outgoingRecord,
} from '../index.ts';

/** The event logs to test. Kafka runs only where it is available. */
export const logs = ['PostgreSQL', 'Kafka'] as const;
export const kafkaBrokers = backing('KAFKA_BROKERS');

/** Opens a log with a separate topic and publishes to it as catalogue does. */
export async function testLog(kind: (typeof logs)[number], topic: string = `directory-${randomUUID()}`) {
  const own = kind === 'PostgreSQL' ? await testDatabase() : undefined;
  const open = (): EventLog =>
    own === undefined
      ? openKafkaLog({ brokers: (kafkaBrokers ?? '').split(','), clientId: 'directory-test' })
      : openPostgresLog({ url: own.url, compactionIntervalMs: 100 });
  const log = open();
  const tombstoneRetentionMs = DIRECTORY_TOMBSTONE_RETENTION_MS;
  const spec = {
    name: topic,
    partitions: 4,
    replication: 1,
    cleanup: 'compact' as const,
    tombstoneRetentionMs,
  };
  await log.createTopics([spec]);
  let newest = 0n;
  return {
    log,
    topic,
    spec,
    url: own?.url,
    /** Publishes each record with a newer revision than all before, unless the record has one. */
    async publish(...records: (DirectoryRecord & { revision?: bigint })[]) {
      for (const record of records) {
        newest += 1n;
        const { revision = newest } = record;
        await log.publish(topic, [outgoingRecord(record, revision, spec.partitions)]);
      }
    },
    /** Returns the current records of the topic, in order within each partition. */
    async stored(): Promise<StoredRecord[]> {
      const records: StoredRecord[] = [];
      await readTopic(log, topic, { onRecord: (record) => records.push(record) });
      return records;
    },
    async close() {
      await log.close();
      await own?.drop();
    },
  };
}

export type TestLog = Awaited<ReturnType<typeof testLog>>;

/** Longer than a busy machine takes to apply a record. */
const MAX_WAIT_MS = 20_000;

/** Creates the database of one service, and instances of the service on request. */
export async function testService({ log, topic }: Pick<TestLog, 'log' | 'topic'>, at?: string) {
  const own: TestDatabase | undefined =
    at === undefined ? await testDatabase({ migrations: [directoryMigrations] }) : undefined;
  const url = own?.url ?? at ?? '';
  const opened: { database: Database; directory: Directory }[] = [];
  return {
    url,
    instance() {
      const database = openDatabase({ url, applicationName: 'directory-test' });
      const directory = openDirectory({ database, log, topic, service: 'test', maxWaitMs: MAX_WAIT_MS });
      opened.push({ database, directory });
      return { database, directory };
    },
    async close() {
      for (const { database, directory } of opened) {
        await directory.stop();
        await database.close();
      }
      await own?.drop();
    },
  };
}
