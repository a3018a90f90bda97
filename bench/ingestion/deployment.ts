import { join } from 'node:path';
import { ingestionTopics } from '@switchboard/contracts';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { openKafkaLog, type TopicSpec } from '@switchboard/event-log';
import { eventually, type Program, spawnProgram } from '@switchboard/testkit';
import kafkajs from 'kafkajs';
import { HEAP_FLAGS, openBenchHarness } from '../lib/harness.ts';
import { PROJECT_ID, PROJECT_KEY } from '../lib/project.ts';
import { CAPTURE, type Protocol, SWITCHBOARD } from './bodies.ts';
import { startCapture } from './peer.ts';

const FLOOR_TOPIC = 'floor';
const PEER_TOPIC = 'capture';
/** The number of partitions that the floor spreads its records over. */
const FLOOR_PARTITIONS = 4;
/** Disables limits, because all load comes from one address and one project. */
const UNLIMITED = {
  BYTES_PER_PROJECT_PER_SECOND: '1000000000000',
  BYTES_PER_ADDRESS_PER_SECOND: '1000000000000',
};

/** A measured server, and the topic that must contain its events. */
export interface Server {
  name: string;
  program: Program;
  protocol: Protocol;
  topic: string;
}

export interface Deployment {
  kafka: kafkajs.Kafka;
  /** The ingestion service, once per number of workers. */
  services: Server[];
  /** The floor, followed by the peer. */
  others: Server[];
  stop(): Promise<void>;
}

export interface DeployOptions {
  flags: readonly string[];
  partitions: number;
  /** The values of WORKERS. */
  workers: readonly string[];
  /** The path of PostHog's capture program. */
  peer: string | undefined;
}

/** Starts the ingestion service, the floor and the peer on one Kafka. The topics must not exist yet. */
export async function deploy(
  brokers: string[],
  { flags, partitions, workers, peer }: DeployOptions,
): Promise<Deployment> {
  const { harness, stop } = await openBenchHarness({
    durable: false,
    log: { kafka: brokers },
    env: { TOPIC_PARTITIONS: String(partitions) },
  });
  await createTopics(brokers, partitions);
  const services: Server[] = [];
  for (const count of workers) {
    const program = await harness.spawn('ingestion', {
      flags: [...HEAP_FLAGS, ...flags],
      env: { WORKERS: count, ...UNLIMITED },
      output: 'inherit',
    });
    const name = count === '1' ? 'switchboard' : `switchboard, WORKERS=${count}`;
    services.push({ name, program, protocol: SWITCHBOARD, topic: ingestionTopics.events });
  }
  const others = [
    { name: 'floor', program: await startFloor(brokers), protocol: SWITCHBOARD, topic: FLOOR_TOPIC },
  ];
  if (peer !== undefined) {
    const program = await startCapture(peer, brokers, PEER_TOPIC);
    others.push({ name: 'capture', program, protocol: CAPTURE, topic: PEER_TOPIC });
  }
  for (const { program } of others) harness.defer(() => program.stop());
  return {
    kafka: new kafkajs.Kafka({ brokers, clientId: 'bench', logLevel: kafkajs.logLevel.NOTHING }),
    services,
    others,
    stop,
  };
}

function startFloor(brokers: string[]): Promise<Program> {
  return spawnProgram({
    command: ['node', ...HEAP_FLAGS, join(import.meta.dirname, 'floor.ts')],
    env: { NODE_ENV: 'production', KAFKA_BROKERS: brokers.join(','), FLOOR_TOPIC },
    ready: '/',
    output: 'inherit',
  });
}

async function createTopics(brokers: string[], partitions: number): Promise<void> {
  const log = openKafkaLog({ brokers, clientId: 'bench' });
  const topic = (name: string, count: number): TopicSpec => ({
    name,
    partitions: count,
    replication: 1,
    cleanup: 'delete',
    deadLetter: false,
  });
  await log.createTopics([topic(FLOOR_TOPIC, FLOOR_PARTITIONS), topic(PEER_TOPIC, partitions)]);
  const directory = await createDirectoryPublisher(log, { partitions });
  const project = { id: PROJECT_ID, companyId: 'bench', name: 'Bench', key: PROJECT_KEY };
  // Retries, because a new topic is unknown for a moment.
  await eventually(() => directory.putProject(project));
  await log.close();
}
