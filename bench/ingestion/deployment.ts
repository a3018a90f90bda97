import { join } from 'node:path';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { openKafkaLog } from '@switchboard/event-log';
import { eventually, type Program, spawnProgram } from '@switchboard/testkit';
import kafkajs from 'kafkajs';
import { HEAP_FLAGS, startRig } from '../lib/rig.ts';

export const PROJECT_KEY = `pk_eu_${'a'.repeat(32)}`;
export const FLOOR_TOPIC = 'floor';
/** As many as the floor spreads its records over. */
const FLOOR_PARTITIONS = 4;
/** All load comes from one address and one project. */
const UNLIMITED = {
  BYTES_PER_PROJECT_PER_SECOND: '1000000000000',
  BYTES_PER_ADDRESS_PER_SECOND: '1000000000000',
};

export interface Deployment {
  kafka: kafkajs.Kafka;
  service: Program;
  floor: Program;
  stop(): Promise<void>;
}

/** The ingestion service, with so many workers, and the floor, on one Kafka. The topics must not exist yet. */
export async function deploy(
  brokers: string[],
  { flags, partitions, workers }: { flags: readonly string[]; partitions: number; workers: string },
): Promise<Deployment> {
  const compression = process.env['KAFKA_COMPRESSION'];
  const { rig, stop } = await startRig({
    durable: false,
    log: { kafka: brokers },
    env: {
      TOPIC_PARTITIONS: String(partitions),
      ...(compression === undefined ? {} : { KAFKA_COMPRESSION: compression }),
    },
  });
  await createTopics(brokers, partitions);
  const service = await rig.spawn('ingestion', {
    flags: [...HEAP_FLAGS, ...flags],
    env: { WORKERS: workers, ...UNLIMITED },
    output: 'inherit',
  });
  const floor = await spawnProgram({
    command: ['node', ...HEAP_FLAGS, join(import.meta.dirname, 'floor.ts')],
    env: { NODE_ENV: 'production', KAFKA_BROKERS: brokers.join(','), FLOOR_TOPIC },
    ready: '/',
    output: 'inherit',
  });
  rig.defer(() => floor.stop());
  return {
    kafka: new kafkajs.Kafka({ brokers, clientId: 'bench', logLevel: kafkajs.logLevel.NOTHING }),
    service,
    floor,
    stop,
  };
}

async function createTopics(brokers: string[], partitions: number): Promise<void> {
  const log = openKafkaLog({ brokers, clientId: 'bench' });
  await log.createTopics([
    { name: FLOOR_TOPIC, partitions: FLOOR_PARTITIONS, replication: 1, cleanup: 'delete', deadLetter: false },
  ]);
  const directory = await createDirectoryPublisher(log, { partitions });
  const project = { id: 'bench', companyId: 'bench', name: 'Bench', key: PROJECT_KEY };
  // A new topic is unknown for a moment.
  await eventually(() => directory.putProject(project));
  await log.close();
}
