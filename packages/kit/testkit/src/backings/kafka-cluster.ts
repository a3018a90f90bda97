import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnProgram } from '../harness/program.ts';
import { freePort } from '../ports.ts';
import { askCluster, isKafkaInstalled, RUN_SCRIPT } from './kafka.ts';

/** A broker of a cluster. Each is also one of the controllers. */
export interface KafkaNode {
  id: number;
  address: string;
  readonly isRunning: boolean;
  /** Sends SIGSTOP: the broker accepts connections but does not respond. */
  pause(): void;
  resume(): void;
  /** Sends SIGKILL. The data stays. */
  kill(): Promise<void>;
  /** Runs a controlled shutdown: its partitions get new leaders first. */
  stop(): Promise<void>;
  /** Starts it on the same port and data. Resolves when it has rejoined the cluster. */
  start(): Promise<void>;
}

export interface KafkaCluster {
  brokers: string[];
  nodes: KafkaNode[];
  /** Stops every node and removes the data. */
  stop(): Promise<void>;
}

const HEAP_MB = '320';

export interface KafkaClusterOptions {
  brokers?: number;
  /**
   * Returns the port through which clients reach a broker, such as a link that fails. It forwards to `port`. The
   * brokers connect to one another directly, as do clients that bootstrap from `KafkaCluster.brokers`.
   */
  advertise?(id: number, port: number): Promise<number>;
  /** A folder to which each broker writes its output, as `broker 1.log`. */
  logs?: string;
}

/**
 * Starts a cluster of the Kafka that `deploy/backings/install.sh` installed. By default, topics have `brokers`
 * replicas and acknowledge a record when all but one have stored it. Returns undefined if Kafka is not installed;
 * with REQUIRE_BACKINGS=1 that is an error.
 */
export async function startKafkaCluster({
  brokers = 3,
  advertise,
  logs,
}: KafkaClusterOptions = {}): Promise<KafkaCluster | undefined> {
  if (!isKafkaInstalled()) return undefined;
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-kafka-cluster-'));
  const places = await Promise.all(
    Array.from({ length: brokers }, async (_, index) => ({
      id: index + 1,
      port: await freePort(),
      controllerPort: await freePort(),
      folder: join(directory, String(index + 1)),
      ...(advertise === undefined ? {} : { linked: await linkTo(index + 1, advertise) }),
    })),
  );
  const voters = places.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`).join();
  const nodes = await Promise.all(places.map((place) => startNode(place, { voters, brokers, logs })));
  await Promise.all(nodes.map(({ address }) => askCluster([address], brokers)));
  return {
    brokers: nodes.map(({ address }) => address),
    nodes,
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface Place {
  id: number;
  port: number;
  controllerPort: number;
  folder: string;
  linked?: Linked;
}

/** The port on which the broker listens for a link, and the port of the link for clients. */
interface Linked {
  port: number;
  advertised: number;
}

async function linkTo(id: number, advertise: NonNullable<KafkaClusterOptions['advertise']>): Promise<Linked> {
  const port = await freePort();
  return { port, advertised: await advertise(id, port) };
}

function listeners({ port, controllerPort, linked }: Place): string[] {
  if (linked === undefined) return [];
  const direct = `PLAINTEXT://127.0.0.1:${port}`;
  return [
    `listeners=${direct},CONTROLLER://127.0.0.1:${controllerPort},LINK://127.0.0.1:${linked.port}`,
    `advertised.listeners=${direct},LINK://127.0.0.1:${linked.advertised}`,
    'listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,LINK:PLAINTEXT',
    'inter.broker.listener.name=PLAINTEXT',
  ];
}

async function startNode(
  place: Place,
  { voters, brokers, logs }: { voters: string; brokers: number; logs: string | undefined },
): Promise<KafkaNode> {
  const { id, port, controllerPort, folder } = place;
  const address = `127.0.0.1:${port}`;
  const minInSync = Math.max(1, brokers - 1);
  const properties = join(folder, 'cluster.properties');
  await mkdir(folder, { recursive: true });
  await writeFile(
    properties,
    [
      `node.id=${id}`,
      `controller.quorum.voters=${voters}`,
      `default.replication.factor=${brokers}`,
      `min.insync.replicas=${minInSync}`,
      `offsets.topic.replication.factor=${brokers}`,
      `transaction.state.log.replication.factor=${brokers}`,
      `transaction.state.log.min.isr=${minInSync}`,
      `share.coordinator.state.topic.replication.factor=${brokers}`,
      `share.coordinator.state.topic.min.isr=${minInSync}`,
      // On busy cores, shorter times cause repeated elections of a new controller.
      'controller.quorum.election.timeout.ms=3000',
      'controller.quorum.fetch.timeout.ms=6000',
      'broker.session.timeout.ms=6000',
      ...listeners(place),
      '',
    ].join('\n'),
  );
  const broker = await spawnProgram({
    command: [RUN_SCRIPT, folder, String(port), String(controllerPort)],
    scratch: folder,
    env: { ...process.env, KAFKA_PROPERTIES: properties, KAFKA_HEAP_MB: HEAP_MB },
    port,
    ...(logs === undefined ? {} : { output: { file: join(logs, `broker ${id}.log`) } }),
    ready: () => askCluster([address]),
    // A killed broker restores its logs, and joins a cluster that may be electing a controller.
    readyWithinMs: 300_000,
  });
  return {
    id,
    address,
    get isRunning() {
      return broker.isRunning;
    },
    pause: () => broker.signal('SIGSTOP'),
    resume: () => broker.signal('SIGCONT'),
    kill: async () => void (await broker.kill()),
    stop: async () => void (await broker.stop()),
    start: () => broker.restart(),
  };
}
