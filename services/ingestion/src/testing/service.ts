import { randomUUID } from 'node:crypto';
import {
  type DirectoryRecord,
  directoryMigrations,
  directoryRecord,
  directoryTombstone,
  directoryTopic,
  outgoingRecord,
} from '@switchboard/directory';
import {
  type EventLog,
  openKafkaLog,
  openPostgresLog,
  partitionFor,
  type StoredRecord,
} from '@switchboard/event-log';
import { listen, serviceContext, startService } from '@switchboard/service-kit';
import { testDatabase } from '@switchboard/testkit';
import { ingestionService } from '../service.ts';

/** For tests: the service on a real port, a log, and a directory of two regions. */

export const KEY = `pk_eu_${'k'.repeat(32)}`;
export const US_KEY = `pk_us_${'k'.repeat(32)}`;
export const PROJECT = 'project-1';
export const PARTITIONS = 4;

/** Where the event log is, as settings. */
export type LogSettings = { KAFKA_BROKERS: string } | { EVENT_LOG_DATABASE_URL: string };

export function openLog(settings: LogSettings): EventLog {
  return 'KAFKA_BROKERS' in settings
    ? openKafkaLog({ brokers: settings.KAFKA_BROKERS.split(','), clientId: 'test' })
    : openPostgresLog({ url: settings.EVENT_LOG_DATABASE_URL });
}

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

export interface TestIngestion {
  url: string;
  log: EventLog;
  /** Settings with which another instance on the same backings starts. */
  env: Record<string, string>;
  /** Posts a value as JSON, or bytes as they are, with the key unless told otherwise. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Makes a key of the project and waits for nothing. */
  addKey(key: string): Promise<void>;
  removeKey(key: string): Promise<void>;
  /** What was published on a topic since the last call. */
  published(topic: string): Promise<StoredRecord[]>;
  stop(): Promise<void>;
}

export async function startIngestion(
  settings: LogSettings,
  overrides: Record<string, string> = {},
): Promise<TestIngestion> {
  const database = await testDatabase({ migrations: [directoryMigrations] });
  const log = openLog(settings);
  await log.createTopics([{ name: directoryTopic, partitions: 1, replication: 1, cleanup: 'compact' }]);
  // On Kafka the topic outlives the test.
  let revision = BigInt(Date.now()) * 1_000n;
  const write = async (record: DirectoryRecord) => {
    await log.publish(directoryTopic, [outgoingRecord(record, ++revision, 1)]);
  };
  const addKey = (key: string, projectId = PROJECT) => write(directoryRecord('key', { key, projectId }));
  for (const [id, region, key] of [
    [PROJECT, 'eu', KEY],
    ['project-2', 'us', US_KEY],
  ] as const) {
    const project = { id, companyId: 'company-1', name: id, region, defaultLanguage: 'en' };
    await write(directoryRecord('project', project));
    await addKey(key, id);
  }

  const env = {
    REGION: 'eu',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'silent',
    CONSOLE_URL: 'https://console.example.com',
    AUTH_ISSUER: 'https://issuer.example.com',
    AUTH_AUDIENCE: 'switchboard',
    AUTH_JWKS_URL: 'https://issuer.example.com/jwks.json',
    DATABASE_URL: database.url,
    TOPIC_PARTITIONS: String(PARTITIONS),
    ...settings,
    ...overrides,
  };
  const context = serviceContext(ingestionService, env);
  const service = ingestionService.create(context);
  const server = await listen({ fetch: service.app.hono.fetch, host: '127.0.0.1', port: 0 });
  await startService(service, context);
  const url = `http://127.0.0.1:${server.port}`;
  const read = new Map<string, bigint[]>();

  return {
    url,
    log,
    env,
    addKey,
    removeKey: (key) => write(directoryTombstone('key', key)),
    async post(path, body, headers = { Authorization: `Bearer ${KEY}` }) {
      const payload = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body);
      const response = await fetch(`${url}${path}`, { method: 'POST', body: payload, headers });
      const text = await response.text();
      const { status } = response;
      return { status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    },
    async published(topic) {
      const from = read.get(topic) ?? [];
      const { records, ends } = await readTopic(log, topic, from);
      read.set(topic, ends);
      return records;
    },
    async stop() {
      await server.close(1000);
      await service.stop();
      await log.close();
      await database.drop();
    },
  };
}

/** Everything on a topic from some offsets to its end as of now. */
export async function readTopic(log: EventLog, topic: string, from: bigint[] = []) {
  const ends = await log.endOffsets(topic);
  const reached = ends.map((end, partition) => (from[partition] ?? 0n) >= end);
  const records: StoredRecord[] = [];
  if (reached.every(Boolean)) return { records, ends };
  const done = Promise.withResolvers<void>();
  const consumption = await log.consume({
    group: `test-${randomUUID()}`,
    topics: [topic],
    maxBatchBytes: 8_000_000,
    async handle(batch) {
      const start = from[batch.partition] ?? 0n;
      const end = ends[batch.partition] ?? 0n;
      records.push(...batch.records.filter(({ offset }) => offset >= start && offset < end));
      if (batch.nextOffset >= end) reached[batch.partition] = true;
      if (reached.every(Boolean)) done.resolve();
    },
  });
  await done.promise;
  await consumption.stop();
  return { records, ends };
}

/** The lines of newline-delimited JSON in some records, in their order. */
export function linesOf(records: StoredRecord[]): Record<string, unknown>[] {
  return records.flatMap(({ value }) =>
    (value?.toString() ?? '').split('\n').map((line): Record<string, unknown> => JSON.parse(line)),
  );
}

let count = 0;

/** An event as a client sends it, with an event_id of its own. */
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
