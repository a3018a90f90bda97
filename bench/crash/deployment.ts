import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import type { EventLog } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import { eventually, openHarness, startNetwork } from '@switchboard/testkit';
import { installed } from '../lib/backings.ts';
import { type LogKind, startDatabases, startLog, startObjects, startQuotaRedis } from './backings.ts';
import { type ServiceTarget, startServiceTarget, type Target } from './targets.ts';
import { keyOf, PROJECTS } from './traffic.ts';
import { putWebhooks, startWebhookReceiver, type WebhookReceiver } from './webhook.ts';

export interface DeploymentOptions {
  log: LogKind;
  /** The number of Kafka brokers: 3, with three copies of each topic of which two suffice, or 1. */
  brokers: 1 | 3;
  /** How long a broker of a cluster sometimes stays down. */
  awaySeconds: number;
  objects: 's3' | 'folder';
  /** The number of instances of each consumer. Two instances also hand partitions over to each other. */
  consumers: number;
}

export interface Deployment {
  log: EventLog;
  objects: ObjectStore;
  /** All targets that fail. */
  targets: Target[];
  /** The ingestion instances that take requests. */
  ingestion: ServiceTarget[];
  /** An archive instance that serves requests. */
  archive: ServiceTarget;
  /** A flags instance that serves requests. */
  flags: ServiceTarget;
  /** An instance that sends webhooks. It is a target as well. */
  webhooks: ServiceTarget;
  /** Gets the messages of webhooks. */
  receiver: WebhookReceiver;
  databaseUrl(name: 'archive' | 'flags'): string;
  managementToken(): Promise<string>;
  /** The folder for the output of the processes. */
  folder: string;
  stop(options: { keepLogs: boolean }): Promise<void>;
}

const PARTITIONS = 4;
const SERVICES = ['ingestion', 'archive', 'flags', 'delivery'] as const;

/** Closes files early, so that a round has many of them. */
const ARCHIVE_ENV = { ARCHIVE_FILE_SECONDS: '1' };

/** Starts all processes and backings, and resolves when all are ready. */
export async function deploy(options: DeploymentOptions): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-crash-'));
  const logs = join(folder, 'logs');
  await mkdir(logs);
  const stops: (() => Promise<void>)[] = [];
  try {
    const network = installed('toxiproxy', await startNetwork());
    stops.push(network.stop);
    const database = await startDatabases('PostgreSQL of the services', SERVICES, network);
    stops.push(database.stop);
    const backing = await startLog(options.log, network, { ...options, logs });
    stops.push(backing.stop);
    const objects = await startObjects(options.objects, folder, network);
    stops.push(objects.stop);
    const redis = await startQuotaRedis(network);
    stops.push(redis.stop);
    const receiver = await startWebhookReceiver();
    stops.push(receiver.stop);
    await publishProjects(backing.log, options.brokers);

    const harness = await openHarness({
      log: backing.place,
      databases: Object.fromEntries(SERVICES.map((name) => [name, database.url(name)])),
      env: {
        NODE_ENV: 'production',
        LOG_LEVEL: 'info',
        TOPIC_PARTITIONS: String(PARTITIONS),
        TOPIC_REPLICATION: String(options.brokers),
        ...objects.env,
        ...redis.env,
        ...ARCHIVE_ENV,
      },
    });
    stops.push(() => harness.stop());
    const start = async (kind: string, service: (typeof SERVICES)[number], count: number, env = {}) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          startServiceTarget(harness, {
            kind,
            name: `${kind} ${index + 1}`,
            service,
            folder: logs,
            env,
          }),
        ),
      );
    const ingestion = await start('ingestion', 'ingestion', 2);
    const sending = await start('webhooks', 'delivery', options.consumers, {
      WEBHOOK_PRIVATE_NETWORKS: '127.0.0.0/8',
    });
    const services = [
      ...ingestion,
      ...sending,
      ...(await start('event archive', 'archive', options.consumers, { ROLES: 'events' })),
      ...(await start('replay archive', 'archive', 1, { ROLES: 'replays' })),
      ...(await start('user state', 'flags', options.consumers, { ROLES: 'user-state' })),
    ];
    const [flags] = await start('flags', 'flags', 1, { ROLES: 'http' });
    const [archive] = await start('archive', 'archive', 1, { ROLES: 'http' });
    const [webhooks] = sending;
    if (flags === undefined || archive === undefined || webhooks === undefined) {
      throw new Error('flags, archive or webhooks was not started');
    }
    const processes = [...services, flags, archive];
    stops.push(async () => void (await Promise.all(processes.map((process) => process.stop()))));
    const targets = [
      ...services,
      ...backing.targets,
      ...database.targets,
      ...objects.targets,
      ...redis.targets,
    ];
    await untilReady([...processes, ...targets]);
    const managementToken = () => harness.mint({ sub: 'crash', permissions: ['service.manage'] });
    await putWebhooks({ port: webhooks.port, token: managementToken }, receiver.url);
    return {
      log: backing.log,
      objects: objects.objects,
      targets,
      ingestion,
      archive,
      flags,
      webhooks,
      receiver,
      databaseUrl: database.direct,
      managementToken,
      folder: logs,
      async stop({ keepLogs }) {
        await stopAll(stops);
        if (!keepLogs) await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await stopAll(stops);
    throw new Error(`The deployment did not start. The output of its processes is in ${logs}.`, {
      cause: error,
    });
  }
}

/** Resolves when every target is ready. */
export async function untilReady(targets: readonly Target[]): Promise<void> {
  await Promise.all(targets.map((target) => eventually(() => target.check(), { withinMs: 180_000 })));
}

async function stopAll(stops: (() => Promise<void>)[]): Promise<void> {
  for (const stop of stops.toReversed()) await stop();
}

async function publishProjects(log: EventLog, replication: number): Promise<void> {
  const directory = await createDirectoryPublisher(log, { partitions: PARTITIONS, replication });
  for (const id of PROJECTS) await directory.putProject({ id, companyId: 'crash', key: keyOf(id) });
}
