import { createDirectoryPublisher } from '@switchboard/directory/testing';
import {
  type EventLog,
  openKafkaLog,
  openPostgresLog,
  partitionFor,
  readTopic,
  type StoredRecord,
} from '@switchboard/event-log';
import {
  type CallResult,
  call,
  type Env,
  type Harness,
  openHarness,
  type Program,
  type RunningInstance,
  type SpawnServiceOptions,
} from '@switchboard/testkit';
import { ingestionService } from '../service.ts';

/** Runs the service for tests: on a real port, with an event log and a directory of two regions. */

export const KEY = `pk_eu_${'k'.repeat(32)}`;
export const US_KEY = `pk_us_${'k'.repeat(32)}`;
/** The key of another project in the same region. */
export const OTHER_KEY = `pk_eu_${'o'.repeat(32)}`;
export const PROJECT = 'project-1';
export const PARTITIONS = 4;

const KEY_HEADERS = { Authorization: `Bearer ${KEY}` };

export interface TestIngestion {
  url: string;
  log: EventLog;
  /** Posts text and bytes unchanged, and anything else as JSON. Sends the key by default. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<CallResult>;
  /** Publishes a key of the project without waiting until it is applied. */
  addKey(key: string): Promise<void>;
  removeKey(key: string): Promise<void>;
  /** Publishes the rate that an operator allows the project. Undefined removes the limit. */
  allow(eventsPerSecond: number | undefined): Promise<void>;
  /** Returns the records published on a topic since the last call. */
  published(topic: string): Promise<StoredRecord[]>;
  /** Starts another instance on the same backings. */
  start(env?: Env): Promise<RunningInstance>;
  spawn(options?: Partial<SpawnServiceOptions>): Promise<Program>;
  stop(): Promise<void>;
}

interface Options {
  /** A new PostgreSQL database by default. */
  kafkaBrokers?: readonly string[] | undefined;
  /** A new database by default. */
  databaseUrl?: string;
}

export async function startIngestion({ kafkaBrokers, databaseUrl }: Options = {}): Promise<TestIngestion> {
  const own = await openHarness({
    services: { ingestion: ingestionService },
    // The quotas are high because tests send the largest bodies one after another.
    env: {
      TOPIC_PARTITIONS: String(PARTITIONS),
      BYTES_PER_PROJECT_PER_SECOND: '1000000000',
      BYTES_PER_ADDRESS_PER_SECOND: '1000000000',
    },
    ...(kafkaBrokers && { log: { kafka: kafkaBrokers } }),
    ...(databaseUrl && { databases: { ingestion: databaseUrl } }),
  });
  const log = openLog(own.logEnv);
  own.defer(() => log.close());
  const directory = await createDirectoryPublisher(log);
  const { key: _, ...project } = await directory.putProject({
    id: PROJECT,
    key: KEY,
    wires: ['segment', 'posthog'],
  });
  await directory.putProject({ id: 'project-2', region: 'us', key: US_KEY });
  await directory.putProject({ id: 'project-3', key: OTHER_KEY });
  const { url } = await own.start('ingestion');
  const read = new Map<string, bigint[]>();

  return {
    url,
    log,
    post: (path, body, headers = KEY_HEADERS) => call('POST', `${url}${path}`, { body, headers }),
    addKey: (key) => directory.put('key', { key, projectId: PROJECT }),
    removeKey: (key) => directory.remove('key', key),
    allow: (eventsPerSecond) =>
      directory.put('project', { ...project, ...(eventsPerSecond !== undefined && { eventsPerSecond }) }),
    async published(topic) {
      const from = read.get(topic) ?? [];
      const records: StoredRecord[] = [];
      read.set(topic, await readTopic(log, topic, { from, onRecord: (record) => records.push(record) }));
      return records;
    },
    start: (env) => own.start('ingestion', env),
    spawn: (options) => own.spawn('ingestion', options),
    stop: own.stop,
  };
}

function openLog(env: Harness['logEnv']): EventLog {
  return 'KAFKA_BROKERS' in env
    ? openKafkaLog({ brokers: env.KAFKA_BROKERS.split(','), clientId: 'test' })
    : openPostgresLog({ url: env.EVENT_LOG_DATABASE_URL });
}

/** Returns the lines of newline-delimited JSON in records, in order. */
export function linesOf(records: StoredRecord[]): Record<string, unknown>[] {
  return records.flatMap(({ value }) =>
    (value?.toString() ?? '').split('\n').map((line): Record<string, unknown> => JSON.parse(line)),
  );
}

let count = 0;

/** Creates an event as a client sends it, with a unique event_id. */
export function event(fields: Record<string, unknown> = {}) {
  return {
    distinct_id: 'user-1',
    event_id: `event-${process.pid}-${count++}`,
    event_name: 'page viewed',
    schema_version: 1,
    timestamp: '2026-03-01T09:30:00.000Z',
    ...fields,
  };
}

export function batch(events: unknown[], sentAt = new Date().toISOString()) {
  return { events, sent_at: sentAt };
}

export function partitionOf(distinctId: string): number {
  return partitionFor(`${PROJECT}:${distinctId}`, PARTITIONS);
}
