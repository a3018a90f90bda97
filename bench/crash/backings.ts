import { join } from 'node:path';
import { type EventLog, openKafkaLog, openPostgresLog } from '@switchboard/event-log';
import { type ObjectStore, type ObjectStoreSettings, openObjectStore } from '@switchboard/object-store';
import { type KafkaServer, postgresServer, startKafka, startS3 } from '@switchboard/testkit';
import type { Part } from './service-process.ts';

export type LogKind = 'kafka' | 'postgres';

/** A backing that is killed, and the settings with which services find it. */
export interface Backing {
  part: Part;
  env: Record<string, string>;
}

export interface LogBacking extends Backing {
  log: EventLog;
}

/** On a broker that is there already, if one is given. */
export async function startLog(kind: LogKind, kafka?: KafkaServer): Promise<LogBacking> {
  return kind === 'kafka' ? await startKafkaLog(kafka) : await startPostgresLog();
}

async function startKafkaLog(given: KafkaServer | undefined): Promise<LogBacking> {
  const kafka = given ?? (await startKafka());
  if (kafka === undefined) throw new Error('There is no Kafka: run deploy/backings/install.sh kafka.');
  const log = openKafkaLog({ brokers: kafka.brokers, clientId: 'crash' });
  const part = {
    kind: 'broker',
    name: 'kafka',
    kill: kafka.kill,
    start: kafka.restart,
    check: () => log.ping(),
    async stop() {
      await log.close();
      await kafka.stop();
    },
  };
  return { log, part, env: { KAFKA_BROKERS: kafka.brokers.join(',') } };
}

async function startPostgresLog(): Promise<LogBacking> {
  const { part, url } = await startDatabases('log server', ['log']);
  const log = openPostgresLog({ url: url('log') });
  return {
    log,
    env: { EVENT_LOG_DATABASE_URL: url('log') },
    part: {
      ...part,
      async stop() {
        await log.close();
        await part.stop();
      },
    },
  };
}

/** PostgreSQL that syncs what it commits; killed, it comes back by itself, so there is nothing to start. */
export async function startDatabases(kind: string, databases: string[]) {
  const server = await postgresServer(databases, { durable: true });
  const part: Part = {
    kind,
    name: kind,
    kill: () => server.kill(),
    start: async () => undefined,
    check: async () => undefined,
    stop: () => server.remove(),
  };
  return { part, url: server.url };
}

export interface ObjectsBacking {
  settings: ObjectStoreSettings;
  objects: ObjectStore;
  env: Record<string, string>;
  /** None for a folder, which cannot be killed. */
  part?: Part;
}

export async function startObjects(kind: 's3' | 'folder', folder: string): Promise<ObjectsBacking> {
  if (kind === 'folder') {
    const settings = { folder: join(folder, 'objects') };
    return { settings, objects: openObjectStore(settings), env: { OBJECTS_FOLDER: settings.folder } };
  }
  const s3 = await startS3();
  if (s3 === undefined) throw new Error('There is no S3 server: run deploy/backings/install.sh s3.');
  const { endpoint, accessKey, secretKey, bucket, region } = s3;
  const settings = { endpoint, accessKey, secretKey, bucket, region };
  const objects = openObjectStore(settings);
  const part = {
    kind: 'S3',
    name: 'S3',
    kill: s3.kill,
    start: s3.restart,
    check: () => objects.ping(),
    async stop() {
      objects.close();
      await s3.stop();
    },
  };
  const env = {
    S3_ENDPOINT: endpoint,
    S3_ACCESS_KEY: accessKey,
    S3_SECRET_KEY: secretKey,
    S3_BUCKET: bucket,
    S3_REGION: region,
  };
  return { settings, objects, part, env };
}
