import { join } from 'node:path';
import { type EventLog, openKafkaLog, openPostgresLog } from '@switchboard/event-log';
import { type ObjectStore, type ObjectStoreSettings, openObjectStore } from '@switchboard/object-store';
import { type KafkaServer, postgresServer, startKafka, startS3 } from '@switchboard/testkit';
import type { Target } from './targets.ts';

export type LogKind = 'kafka' | 'postgres';

/** An event log that is killed, and where it is. */
export interface LogBacking {
  target: Target;
  log: EventLog;
  place: { kafka: readonly string[] } | { postgres: string };
}

/** Uses the broker that is given, or starts one. */
export async function startLog(kind: LogKind, kafka?: KafkaServer): Promise<LogBacking> {
  return kind === 'kafka' ? await startKafkaLog(kafka) : await startPostgresLog();
}

async function startKafkaLog(given: KafkaServer | undefined): Promise<LogBacking> {
  const kafka = given ?? (await startKafka());
  if (kafka === undefined) throw new Error('Kafka is not installed: run deploy/backings/install.sh kafka.');
  const log = openKafkaLog({ brokers: kafka.brokers, clientId: 'crash' });
  const target = {
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
  return { log, target, place: { kafka: kafka.brokers } };
}

async function startPostgresLog(): Promise<LogBacking> {
  const { target, url } = await startDatabases('log server', ['log']);
  const log = openPostgresLog({ url: url('log') });
  return {
    log,
    place: { postgres: url('log') },
    target: {
      ...target,
      async stop() {
        await log.close();
        await target.stop();
      },
    },
  };
}

/** PostgreSQL that syncs what it commits. It restarts by itself when it is killed. */
export async function startDatabases(kind: string, databases: readonly string[]) {
  const server = await postgresServer([...databases], { durable: true });
  const target: Target = {
    kind,
    name: kind,
    kill: () => server.kill(),
    start: async () => undefined,
    check: async () => undefined,
    stop: () => server.remove(),
  };
  return { target, url: server.url };
}

export interface ObjectsBacking {
  settings: ObjectStoreSettings;
  objects: ObjectStore;
  env: Record<string, string>;
  /** None for a folder, which cannot be killed. */
  target?: Target;
}

export async function startObjects(kind: 's3' | 'folder', folder: string): Promise<ObjectsBacking> {
  if (kind === 'folder') {
    const settings = { folder: join(folder, 'objects') };
    return { settings, objects: openObjectStore(settings), env: { OBJECTS_FOLDER: settings.folder } };
  }
  const s3 = await startS3();
  if (s3 === undefined) throw new Error('The S3 server is not installed: run deploy/backings/install.sh s3.');
  const { endpoint, accessKey, secretKey, bucket, region } = s3;
  const settings = { endpoint, accessKey, secretKey, bucket, region };
  const objects = openObjectStore(settings);
  const target = {
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
  return { settings, objects, target, env };
}
