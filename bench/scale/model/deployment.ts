import { join } from 'node:path';
import { type Database, openDatabase } from '@switchboard/database';
import { call, eventually, type Harness, type Program, startKafka } from '@switchboard/testkit';
import pMap from 'p-map';
import { installed } from '../../lib/backings.ts';
import { HEAP_FLAGS, heapFlagsOf, openBenchHarness } from '../../lib/harness.ts';
import { UNLIMITED_MESSENGER } from '../../lib/unlimited.ts';
import { projectId } from './model.ts';

/** The services, with the memory limit of a pod (MiB) and the minimum number of pods. */
export const PODS = {
  // Services that clients call must survive the loss of a pod.
  ingestion: { memoryMib: 768, least: 2 },
  flags: { memoryMib: 1024, least: 2 },
  messenger: { memoryMib: 512, least: 2 },
  archive: { memoryMib: 1024, least: 1 },
  analytics: { memoryMib: 1024, least: 1 },
  collaboration: { memoryMib: 512, least: 1 },
  catalogue: { memoryMib: 512, least: 1 },
} as const;
export type Service = keyof typeof PODS;
export const SERVICES = Object.keys(PODS) as Service[];

const PROJECTS_PER_COMPANY = 10;
/** The number of concurrent requests. Each waits until its change is on the log. */
const REQUESTS_AT_ONCE = 64;
export const MEMBER = 'ada';

export interface Deployment {
  harness: Harness;
  pods: Record<Service, Program>;
  /** The location of archived events. */
  objects: string;
  /** Returns a client for long statements on a service's database. */
  sql(service: Service): Database['sql'];
  stopPod(service: Service): Promise<void>;
  /** Starts a stopped pod, on another port. */
  startPod(service: Service): Promise<void>;
  stop(): Promise<void>;
}

export interface DeploymentOptions {
  partitions: number;
  /** The value of ARCHIVE_FILE_SECONDS. */
  fileSeconds: number;
  /** The folder for all stored data. */
  folder: string;
}

/** Starts every service as one process, on Kafka and PostgreSQL. */
export async function deploy({ partitions, fileSeconds, folder }: DeploymentOptions): Promise<Deployment> {
  const objects = join(folder, 'objects');
  const kafka = installed('kafka', await startKafka(undefined, join(folder, 'kafka')));
  const { harness, stop: stopHarness } = await openBenchHarness({
    durable: false,
    directory: join(folder, 'postgres'),
    databases: SERVICES,
    log: { kafka: kafka.brokers },
    env: {
      LOG_LEVEL: 'error',
      OBJECTS_FOLDER: objects,
      TOPIC_PARTITIONS: String(partitions),
      ARCHIVE_FILE_SECONDS: String(fileSeconds),
      // All load comes from one address.
      ...UNLIMITED_MESSENGER,
    },
  });
  const stop = async () => {
    await stopHarness();
    await kafka.stop();
  };
  try {
    const spawn = (name: Service) =>
      harness.spawn(name, {
        flags: [...HEAP_FLAGS, ...heapFlagsOf(PODS[name].memoryMib)],
        readyWithinMs: 300_000,
      });
    // Starts first, because it creates the log of the directory that the others wait for.
    const catalogue = await spawn('catalogue');
    const started = await pMap(
      SERVICES,
      async (name) => [name, name === 'catalogue' ? catalogue : await spawn(name)] as const,
      { concurrency: 3 },
    );
    const databases = new Map<Service, Database>();
    for (const name of SERVICES) {
      const url = await harness.databaseUrl(name);
      const database = openDatabase({ url, applicationName: 'bench', statementTimeoutMs: 3_600_000 });
      harness.defer(() => database.close());
      databases.set(name, database);
    }
    const pods = Object.fromEntries(started) as Record<Service, Program>;
    return {
      harness,
      pods,
      objects,
      async stopPod(service) {
        await pods[service].stop();
      },
      async startPod(service) {
        pods[service] = await spawn(service);
      },
      sql(service) {
        const database = databases.get(service);
        if (database === undefined) throw new Error(`${service} has no database`);
        return database.sql;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Creates companies with one member and ten projects each through the management API. Resolves with a key of each
 * project.
 */
export async function putProjects({ harness }: Deployment, projects: number): Promise<string[]> {
  const token = await harness.mint({ sub: 'bench', permissions: ['service.manage'] });
  const url = `${harness.url('catalogue')}/management/v1`;
  const send = (method: string, path: string, body?: unknown) =>
    eventually(
      async () => {
        const answer = await call(method, url + path, { token, ...(body === undefined ? {} : { body }) });
        if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status}`);
        return answer.body;
      },
      { withinMs: 300_000 },
    );
  const plan = { tier: 'pro', cycle: 'monthly' };
  await send('PUT', '/plans/pro/monthly', { trialDays: 0, priced: true, entitlements: {} });
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
  const concurrency = REQUESTS_AT_ONCE;
  const companies = numbers(Math.ceil(projects / PROJECTS_PER_COMPANY));
  await pMap(
    companies,
    async (number) => {
      const path = `/companies/company-${number}`;
      await send('PUT', path, { name: `Company ${number}`, plan });
      await send('PUT', `${path}/members/${MEMBER}`, { name: 'Ada', email: 'ada@example.com' });
    },
    { concurrency },
  );
  return await pMap(
    numbers(projects),
    async (number): Promise<string> => {
      const path = `/projects/${projectId(number)}`;
      const companyId = `company-${Math.floor(number / PROJECTS_PER_COMPANY)}`;
      const rest = { name: `Project ${number}`, region: 'eu', defaultLanguage: 'en' };
      await send('PUT', path, { companyId, ...rest });
      return (await send('POST', `${path}/keys`)).key;
    },
    { concurrency },
  );
}
