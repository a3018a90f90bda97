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

/** Both event logs, Kafka where there is one. */
export const logs = ['PostgreSQL', 'Kafka'] as const;
export const kafkaBrokers = backing('KAFKA_BROKERS');

/** A log with a topic of its own, published to as catalogue does. */
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
    /** Each record as a newer revision than all before, unless it says which it is. */
    async publish(...records: (DirectoryRecord & { revision?: bigint })[]) {
      for (const record of records) {
        newest += 1n;
        const { revision = newest } = record;
        await log.publish(topic, [outgoingRecord(record, revision, spec.partitions)]);
      }
    },
    /** What the topic holds now, each partition in its order. */
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

/** The database of one service, and as many instances of the service as asked for. */
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
