import { randomUUID } from 'node:crypto';
import { kafkaBrokers, testDatabase } from '@switchboard/testkit';
import { openKafkaLog, openPostgresLog, repartitionKafkaTopic, repartitionPostgresTopic } from '../index.ts';
import type { RepartitionOptions } from '../repartition.ts';
import type { CommonOptions, EventLog, StoredRecord, TopicSpec } from '../types.ts';

/** A log under test. Several instances can be opened on the same topics. */
export interface TestLog {
  open(options?: CommonOptions & { compactionIntervalMs?: number }): EventLog;
  repartition(options: RepartitionOptions): Promise<boolean>;
  /** The arguments for `member.ts`. */
  address: ['kafka' | 'postgres', string];
  close(): Promise<void>;
}

export interface Adapter {
  name: string;
  available: boolean;
  start(): Promise<TestLog>;
}

const brokers = await kafkaBrokers();

/** The adapters that the contract tests cover. */
export const adapters: Adapter[] = [
  {
    name: 'PostgreSQL',
    available: true,
    async start() {
      const database = await testDatabase();
      return withCleanup(
        ['postgres', database.url],
        (options) => openPostgresLog({ url: database.url, ...options }),
        (options) => repartitionPostgresTopic(database.url, options),
        database.drop,
      );
    },
  },
  {
    name: 'Kafka',
    available: brokers !== undefined,
    async start() {
      const common = { brokers: brokers ?? [], clientId: 'contract' };
      return withCleanup(
        ['kafka', brokers?.[0] ?? ''],
        (options) => openKafkaLog({ ...common, ...options }),
        (options) => repartitionKafkaTopic(common, options),
        async () => {},
      );
    },
  },
];

function withCleanup(
  address: TestLog['address'],
  open: TestLog['open'],
  repartition: TestLog['repartition'],
  afterwards: () => Promise<void>,
): TestLog {
  const logs: EventLog[] = [];
  return {
    address,
    repartition,
    open(options) {
      const log = open(options);
      logs.push(log);
      return log;
    },
    async close() {
      await Promise.all(logs.map((log) => log.close()));
      await afterwards();
    },
  };
}

/** Creates a topic that no other test uses. */
export async function newTopic(log: EventLog, spec: Partial<TopicSpec> = {}): Promise<string> {
  const name = `events-${randomUUID()}`;
  await log.createTopics([{ name, partitions: 2, replication: 1, cleanup: 'delete', ...spec }]);
  return name;
}

export const newGroup = (): string => `group-${randomUUID()}`;

/** Reads topics as a new group until it has `count` records. */
export async function collect(
  log: EventLog,
  topics: string[],
  count: number,
): Promise<{ records: StoredRecord[] }> {
  const records: StoredRecord[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const consumption = await log.consume({
    group: newGroup(),
    topics,
    async handle(batch) {
      records.push(...batch.records);
      if (records.length >= count) resolve();
    },
  });
  const timer = setTimeout(() => reject(new Error(`received ${records.length} of ${count} records`)), 20_000);
  await promise.finally(() => clearTimeout(timer)).finally(consumption.stop);
  return { records };
}
