import { join } from 'node:path';
import { type EventLog, openKafkaLog, openPostgresLog } from '@switchboard/event-log';
import { type ObjectStore, type ObjectStoreSettings, openObjectStore } from '@switchboard/object-store';
import {
  type KafkaNode,
  type Network,
  type NetworkLink,
  postgresServer,
  s3Env,
  startKafkaCluster,
  startRedis,
  startS3,
} from '@switchboard/testkit';
import { installed } from '../lib/backings.ts';
import { type Disruption, killed, networkTarget, type Target } from './targets.ts';

export type LogKind = 'kafka' | 'postgres';

/** An event log that can fail, and its addresses. */
export interface LogBacking {
  targets: Target[];
  /** A client that bypasses the failing links. */
  log: EventLog;
  /** The addresses that the services connect to. */
  place: { kafka: readonly string[] } | { postgres: string };
  stop(): Promise<void>;
}

/** Long enough to store and register a file. */
const MIN_SLOW_MS = 15_000;
const MAX_SLOW_MS = 25_000;
/** Longer than a broker's session with its controller. */
const MAX_FROZEN_MS = 8_000;

export interface LogOptions {
  brokers: number;
  /** How long a broker of a cluster sometimes stays down. */
  awaySeconds: number;
  /** The folder for the output of the brokers. */
  logs: string;
}

export async function startLog(kind: LogKind, network: Network, options: LogOptions): Promise<LogBacking> {
  return kind === 'kafka' ? startKafkaLog(network, options) : startPostgresLog(network);
}

async function startKafkaLog(
  network: Network,
  { brokers, awaySeconds, logs }: LogOptions,
): Promise<LogBacking> {
  const links = new Map<number, NetworkLink>();
  const started = await startKafkaCluster({
    brokers,
    logs,
    async advertise(id, port) {
      const link = await network.link(`broker ${id}`, port);
      links.set(id, link);
      return link.port;
    },
  });
  const cluster = installed('kafka', started);
  const log = openKafkaLog({ brokers: cluster.brokers, clientId: 'crash' });
  // While one broker is down, the others must accept writes: two of three copies suffice.
  const exclusive = brokers > 1 ? { oneOf: 'brokers' } : {};
  const targets = cluster.nodes.map((node) => ({
    kind: 'broker',
    name: `broker ${node.id}`,
    ...exclusive,
    disruptions: brokers === 1 ? [killedBroker(node)] : clusterDisruptions(node, awaySeconds * 1_000),
    check: () => log.ping(),
    stop: async () => undefined,
  }));
  const networks = [...links].map(([id, link]) => networkTarget(`broker ${id}`, link, exclusive.oneOf));
  return {
    log,
    targets: [...targets, ...networks],
    place: { kafka: [...links.values()].map(({ port }) => `127.0.0.1:${port}`) },
    async stop() {
      await log.close();
      await cluster.stop();
    },
  };
}

function killedBroker(node: KafkaNode): Disruption {
  return killed(
    () => node.kill(),
    () => node.start(),
  );
}

function clusterDisruptions(node: KafkaNode, awayMs: number): Disruption[] {
  const kill = killedBroker(node);
  return [
    kill,
    { ...kill, effect: 'shut down', begin: () => node.stop() },
    { ...kill, effect: 'away', minMs: awayMs, maxMs: awayMs },
    frozen(node),
  ];
}

/** Sends SIGSTOP: the server accepts connections and does not respond. */
function frozen(server: { pause(): void; resume(): void }): Disruption {
  return {
    effect: 'frozen',
    maxMs: MAX_FROZEN_MS,
    begin: async () => server.pause(),
    end: async () => server.resume(),
  };
}

async function startPostgresLog(network: Network): Promise<LogBacking> {
  const databases = await startDatabases('log server', ['log'], network);
  const log = openPostgresLog({ url: databases.direct('log') });
  return {
    log,
    targets: databases.targets,
    place: { postgres: databases.url('log') },
    async stop() {
      await log.close();
      await databases.stop();
    },
  };
}

export interface DatabasesBacking {
  targets: Target[];
  /** Returns the URL that the services connect to. */
  url(database: string): string;
  /** Returns the URL that bypasses the failing link. */
  direct(database: string): string;
  stop(): Promise<void>;
}

/** Starts PostgreSQL, which syncs its commits to disk and restarts by itself when it is killed. */
export async function startDatabases(
  kind: string,
  databases: readonly string[],
  network: Network,
): Promise<DatabasesBacking> {
  const server = await postgresServer([...databases], { durable: true });
  const port = Number(new URL(server.url('postgres')).port);
  const link = await network.link(kind, port);
  const target: Target = {
    kind,
    name: kind,
    disruptions: [
      killed(
        () => server.kill(),
        async () => undefined,
      ),
    ],
    check: async () => undefined,
    stop: async () => undefined,
  };
  return {
    targets: [target, networkTarget(kind, link)],
    url(database) {
      const url = new URL(server.url(database));
      url.port = String(link.port);
      return url.href;
    },
    direct: server.url,
    stop: () => server.remove(),
  };
}

export interface ObjectsBacking {
  settings: ObjectStoreSettings;
  objects: ObjectStore;
  env: Record<string, string>;
  /** Empty for a folder, which cannot fail. */
  targets: Target[];
  stop(): Promise<void>;
}

export async function startObjects(
  kind: 's3' | 'folder',
  folder: string,
  network: Network,
): Promise<ObjectsBacking> {
  if (kind === 'folder') {
    const settings = { folder: join(folder, 'objects') };
    const objects = openObjectStore(settings);
    const env = { OBJECTS_FOLDER: settings.folder };
    return { settings, objects, env, targets: [], stop: async () => objects.close() };
  }
  const s3 = installed('s3', await startS3());
  const { endpoint, accessKey, secretKey, bucket, region } = s3;
  const settings = { endpoint, accessKey, secretKey, bucket, region };
  const objects = openObjectStore(settings);
  const link = await network.link('S3', Number(new URL(endpoint).port));
  const target: Target = {
    kind: 'S3',
    name: 'S3',
    oneOf: 'S3',
    disruptions: [killed(s3.kill, s3.restart), slow(link)],
    check: () => objects.ping(),
    stop: async () => undefined,
  };
  return {
    settings,
    objects,
    env: s3Env({ ...settings, endpoint: `http://127.0.0.1:${link.port}` }),
    targets: [target, networkTarget('S3', link, 'S3')],
    async stop() {
      objects.close();
      await s3.stop();
    },
  };
}

/** Processes every request, and delays the response by 10 s. */
function slow(link: NetworkLink): Disruption {
  return {
    effect: 'slow',
    minMs: MIN_SLOW_MS,
    maxMs: MAX_SLOW_MS,
    begin: () => link.fail('slow'),
    end: () => link.heal(),
  };
}

export interface RedisBacking {
  env: Record<string, string>;
  targets: Target[];
  stop(): Promise<void>;
}

/**
 * Starts the Redis in which the ingestion instances share quota counts. It persists nothing. Without it, each
 * instance counts alone and still accepts requests.
 */
export async function startQuotaRedis(network: Network): Promise<RedisBacking> {
  const redis = installed('redis', await startRedis());
  const link = await network.link('Redis', Number(new URL(redis.url).port));
  const target: Target = {
    kind: 'Redis',
    name: 'Redis',
    disruptions: [killed(redis.kill, redis.restart), frozen(redis)],
    check: async () => undefined,
    stop: async () => undefined,
  };
  return {
    env: { REDIS_URL: `redis://127.0.0.1:${link.port}` },
    targets: [target, networkTarget('Redis', link)],
    stop: redis.kill,
  };
}
