import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { spawnProgram } from '../rig/program.ts';
import { askCluster, isKafkaInstalled, RUN_SCRIPT } from './kafka.ts';

/** A broker of a cluster. Each is also one of the controllers. */
export interface KafkaNode {
  id: number;
  address: string;
  readonly isRunning: boolean;
  /** SIGSTOP: it accepts connections but does not answer. */
  pause(): void;
  resume(): void;
  /** SIGKILL; the data stays. */
  kill(): Promise<void>;
  /** A controlled shutdown: its partitions get new leaders first. */
  stop(): Promise<void>;
  /** Starts it on the same port and data, and resolves when the cluster knows it again. */
  start(): Promise<void>;
}

export interface KafkaCluster {
  brokers: string[];
  nodes: KafkaNode[];
  /** Stops every node and removes the data. */
  stop(): Promise<void>;
}

const HEAP_MB = '320';

/**
 * Starts a cluster of the Kafka that `deploy/backings/install.sh` installed: topics have `brokers` replicas by
 * default, and acknowledge once all but one have stored a record. Returns undefined where Kafka is not installed;
 * with REQUIRE_BACKINGS=1 that is an error.
 */
export async function startKafkaCluster({ brokers = 3 } = {}): Promise<KafkaCluster | undefined> {
  if (!isKafkaInstalled()) return undefined;
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-kafka-cluster-'));
  const places = await Promise.all(
    Array.from({ length: brokers }, async (_, index) => ({
      id: index + 1,
      port: await freePort(),
      controllerPort: await freePort(),
      folder: join(directory, String(index + 1)),
    })),
  );
  const voters = places.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`).join();
  const nodes = await Promise.all(places.map((place) => startNode(place, { voters, brokers })));
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

async function startNode(
  { id, port, controllerPort, folder }: { id: number; port: number; controllerPort: number; folder: string },
  { voters, brokers }: { voters: string; brokers: number },
): Promise<KafkaNode> {
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
      '',
    ].join('\n'),
  );
  const broker = await spawnProgram({
    command: [RUN_SCRIPT, folder, String(port), String(controllerPort)],
    scratch: folder,
    env: { ...process.env, KAFKA_PROPERTIES: properties, KAFKA_HEAP_MB: HEAP_MB },
    port,
    ready: () => askCluster([address]),
    readyWithinMs: 120_000,
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
