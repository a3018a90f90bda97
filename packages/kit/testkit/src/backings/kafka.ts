import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kafka } from 'kafkajs';
import { spawnProgram } from '../harness/program.ts';
import { freePort } from '../ports.ts';
import { backing, backingsHome } from './backing.ts';
import { hasEngine, startContainer, wantsContainers } from './container.ts';

/** A Kafka broker for one test, which can pause, kill and restart it. */
export interface KafkaServer {
  brokers: string[];
  /** Sends SIGSTOP: the broker accepts connections but does not respond. */
  pause(): void;
  resume(): void;
  /** Sends SIGKILL. The data stays. */
  kill(): Promise<void>;
  /** Starts it on the same port and data, after `kill`. */
  restart(): Promise<void>;
  /** Stops it and removes temporary data. */
  stop(): Promise<void>;
}

export const RUN_SCRIPT = fileURLToPath(
  new URL('../../../../../deploy/backings/kafka/run.sh', import.meta.url),
);

/** An additional listener of the broker. Its clients authenticate with SCRAM-SHA-512 or PLAIN. */
export interface SecuredListener {
  port: number;
  /** The certificate and its key, in PEM. Without them, the listener has no TLS. */
  tls?: { certificate: string; key: string };
  username: string;
  password: string;
  /**
   * Additional users with the same password. With them, Kafka's authorizer allows every user but the first only
   * what an ACL allows.
   */
  restrictedUsers?: readonly string[];
}

/**
 * Starts the Kafka that `deploy/backings/install.sh` installed. Returns undefined if it is not installed; with
 * REQUIRE_BACKINGS=1 that is an error. Data in `folder` is kept. By default a temporary folder is used.
 */
export async function startKafka(
  secured?: SecuredListener,
  folder?: string,
): Promise<KafkaServer | undefined> {
  if (!isKafkaInstalled()) return undefined;
  const directory = folder ?? (await mkdtemp(join(tmpdir(), 'switchboard-kafka-')));
  const port = await freePort();
  const controllerPort = await freePort();
  const brokers = [`127.0.0.1:${port}`];
  const env = secured === undefined ? {} : await secure(directory, secured, { port, controllerPort });
  const broker = await spawnProgram({
    command: [RUN_SCRIPT, directory, String(port), String(controllerPort)],
    ...(folder === undefined ? { scratch: directory } : {}),
    // The script reads the paths of Java and Kafka.
    env: { ...process.env, ...env },
    port,
    ready: () => askCluster(brokers),
  });
  return {
    brokers,
    pause: () => broker.signal('SIGSTOP'),
    resume: () => broker.signal('SIGCONT'),
    kill: async () => void (await broker.kill()),
    restart: () => broker.restart(),
    async stop() {
      if (folder !== undefined) return void (await broker.stop());
      await broker.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export function isKafkaInstalled(): boolean {
  if (existsSync(join(kafkaLibs(), '.complete'))) return true;
  if (process.env['REQUIRE_BACKINGS'] !== '1') return false;
  throw new Error(`Kafka is not installed in ${kafkaLibs()}: run deploy/backings/install.sh kafka`);
}

async function secure(
  directory: string,
  { port, tls, username, password, restrictedUsers = [] }: SecuredListener,
  plain: { port: number; controllerPort: number },
): Promise<Record<string, string>> {
  const protocol = tls === undefined ? 'SASL_PLAINTEXT' : 'SASL_SSL';
  const listener = `${protocol}://127.0.0.1:${port}`;
  const ofListener = `listener.name.${protocol.toLowerCase()}`;
  const login = (mechanism: 'plain.Plain' | 'scram.Scram') =>
    `org.apache.kafka.common.security.${mechanism}LoginModule required`;
  const users = [username, ...restrictedUsers];
  const file = join(directory, 'secured.properties');
  await writeFile(
    file,
    [
      `listeners=PLAINTEXT://127.0.0.1:${plain.port},CONTROLLER://127.0.0.1:${plain.controllerPort},${listener}`,
      `advertised.listeners=PLAINTEXT://127.0.0.1:${plain.port},${listener}`,
      `listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,${protocol}:${protocol}`,
      'sasl.enabled.mechanisms=SCRAM-SHA-512,PLAIN',
      `${ofListener}.plain.sasl.jaas.config=${login('plain.Plain')} user_${username}="${password}";`,
      `${ofListener}.scram-sha-512.sasl.jaas.config=${login('scram.Scram')};`,
      ...tlsProperties(tls),
      ...(restrictedUsers.length > 0 ? authorizerProperties(username) : []),
      '',
    ].join('\n'),
  );
  return {
    KAFKA_PROPERTIES: file,
    KAFKA_SCRAM: users.map((name) => `SCRAM-SHA-512=[name=${name},password=${password}]`).join('\n'),
  };
}

function tlsProperties(tls: SecuredListener['tls']): string[] {
  if (tls === undefined) return [];
  const pem = (text: string) => text.trim().replaceAll('\r', '').replaceAll('\n', '\\n');
  return [
    'ssl.keystore.type=PEM',
    `ssl.keystore.certificate.chain=${pem(tls.certificate)}`,
    `ssl.keystore.key=${pem(tls.key)}`,
  ];
}

/** Returns the authorizer's properties. The broker itself and clients of its plain listener are anonymous. */
const authorizerProperties = (superUser: string): string[] => [
  'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  `super.users=User:${superUser};User:ANONYMOUS`,
];

/**
 * Returns brokers for tests: KAFKA_BROKERS, or else a broker that ends with this process, either installed or in a
 * container. Undefined if none exists.
 */
export function kafkaBrokers(): Promise<string[] | undefined> {
  shared ??= findBrokers();
  return shared;
}

let shared: Promise<string[] | undefined> | undefined;

async function findBrokers(): Promise<string[] | undefined> {
  const given = process.env['KAFKA_BROKERS'];
  if (given) return given.split(',');
  const isInstalled = existsSync(join(kafkaLibs(), '.complete'));
  if (wantsContainers() || (!isInstalled && (await hasEngine()))) return kafkaContainer();
  if (!isInstalled) return backing('KAFKA_BROKERS')?.split(',');
  return (await startKafka())?.brokers;
}

async function kafkaContainer(): Promise<string[]> {
  const port = await startContainer({
    image: 'apache/kafka:4.1.0',
    port: 9092,
    env: (published) => ({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_LISTENERS: 'PLAINTEXT://:9092,CONTROLLER://:9093',
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://127.0.0.1:${published}`,
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '500',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
    }),
    ready: (wait) => wait.forLogMessage(/Kafka Server started/),
  });
  return [`127.0.0.1:${port}`];
}

export async function askCluster(brokers: string[], atLeast = 1): Promise<void> {
  const retry = { retries: 0, initialRetryTime: 50, maxRetryTime: 50, factor: 0, multiplier: 1 };
  const client = new Kafka({ brokers, clientId: 'testkit', retry, logCreator: () => () => {} });
  const admin = client.admin();
  try {
    await admin.connect();
    const { controller, brokers: known } = await admin.describeCluster();
    if (controller === null || controller < 0) throw new Error('Kafka has no controller yet');
    if (known.length < atLeast) throw new Error(`Kafka has ${known.length} of ${atLeast} brokers`);
  } finally {
    await admin.disconnect();
  }
}

function kafkaLibs(): string {
  return process.env['KAFKA_LIBS'] || join(backingsHome(), 'kafka-4.1.0');
}
