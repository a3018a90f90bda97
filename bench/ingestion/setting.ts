import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryRecord, directoryTopic, outgoingRecord } from '@switchboard/directory';
import { startPostgres } from '@switchboard/embedded-postgres';
import { openKafkaLog } from '@switchboard/event-log';
import { freePort } from '@switchboard/testkit';
import kafkajs from 'kafkajs';
import { type ServerProcess, startServer } from '../lib/process.ts';

export const PROJECT_KEY = `pk_eu_${'a'.repeat(32)}`;
export const FLOOR_TOPIC = 'floor';
const PARTITIONS = 4;
/** As the images run it: V8 would let the young generation alone grow past 150 MB on a large machine. */
const HEAP_FLAGS = ['--max-semi-space-size=16'];

export interface Setting {
  kafka: kafkajs.Kafka;
  service: ServerProcess;
  floor: ServerProcess;
  stop(): Promise<void>;
}

/** The ingestion service and the floor, each a process, on one Kafka. The topics must not be there yet. */
export async function setUp(brokers: string[], flags: string[]): Promise<Setting> {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  const postgres = await startPostgres({ directory, databases: ['ingestion'], durable: false });
  await fillDirectory(brokers);
  const service = await startServer({
    script: join(import.meta.dirname, '../../services/ingestion/src/main.ts'),
    port: await freePort(),
    readyPath: '/health/ready',
    flags: [...HEAP_FLAGS, ...flags],
    env: {
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      ...(process.env['KAFKA_COMPRESSION'] ? { KAFKA_COMPRESSION: process.env['KAFKA_COMPRESSION'] } : {}),
      REGION: 'eu',
      AUTH_ISSUER: 'http://127.0.0.1:9',
      AUTH_AUDIENCE: 'switchboard',
      AUTH_JWKS_URL: 'http://127.0.0.1:9/jwks.json',
      CONSOLE_URL: 'http://127.0.0.1:9',
      DATABASE_URL: postgres.url('ingestion'),
      KAFKA_BROKERS: brokers.join(','),
      TOPIC_PARTITIONS: String(PARTITIONS),
      ROLES: 'http',
    },
  });
  const floor = await startServer({
    script: join(import.meta.dirname, 'floor.ts'),
    port: await freePort(),
    readyPath: '/',
    flags: HEAP_FLAGS,
    env: { KAFKA_BROKERS: brokers.join(','), FLOOR_TOPIC },
  });
  return {
    kafka: new kafkajs.Kafka({ brokers, clientId: 'bench', logLevel: kafkajs.logLevel.NOTHING }),
    service,
    floor,
    async stop() {
      await Promise.all([service.stop(), floor.stop()]);
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function fillDirectory(brokers: string[]): Promise<void> {
  const log = openKafkaLog({ brokers, clientId: 'bench' });
  const topic = { partitions: PARTITIONS, replication: 1 };
  await log.createTopics([
    { ...topic, name: directoryTopic, cleanup: 'compact' },
    { ...topic, name: FLOOR_TOPIC, cleanup: 'delete', deadLetter: false },
  ]);
  const project = {
    id: 'bench',
    companyId: 'bench',
    name: 'Bench',
    region: 'eu',
    defaultLanguage: 'en',
  };
  const records = [
    directoryRecord('project', project),
    directoryRecord('key', { key: PROJECT_KEY, projectId: project.id }),
  ];
  for (const record of records) {
    await log.publish(directoryTopic, [outgoingRecord(record, 1n, PARTITIONS)]);
  }
  await log.close();
}
