import {
  type CohortDefinition,
  type FlagEntry,
  type GroupRecord,
  type IdentifyRecord,
  ingestionTopics,
  stateToken,
} from '@switchboard/contracts';
import {
  type DirectoryRecord,
  directoryMigrations,
  directoryRecord,
  directoryTombstone,
  directoryTopic,
  outgoingRecord,
} from '@switchboard/directory';
import { openKafkaLog, openPostgresLog, partitionFor } from '@switchboard/event-log';
import { listen, serviceContext, startService } from '@switchboard/service-kit';
import { type AccessTokens, accessTokens, eventually, testDatabase } from '@switchboard/testkit';
import postgres from 'postgres';
import { flagsMigrations } from '../schema/migrations.ts';
import { flagsService } from '../service.ts';

const PARTITIONS = 4;
const HOUR_MS = 3_600_000;

type Env = Record<string, string>;

/** A project of a test's own, and its key. */
export interface TestProject {
  id: string;
  key: string;
}

/** A running instance of the service. */
export interface Instance {
  url: string;
  stop(): Promise<void>;
}

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** The backings of the service, an instance of it, and whoever else it lives with: catalogue and ingestion. */
export async function startHarness(
  options: { databaseUrl?: string; kafkaBrokers?: readonly string[]; env?: Env } = {},
) {
  const own = await testDatabase({ migrations: [directoryMigrations, flagsMigrations] });
  const logDatabase = await testDatabase();
  const tokens = await accessTokens();
  const { kafkaBrokers } = options;
  const log = kafkaBrokers
    ? openKafkaLog({ brokers: [...kafkaBrokers], clientId: 'test' })
    : openPostgresLog({ url: logDatabase.url });
  const databaseUrl = options.databaseUrl ?? own.url;
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => undefined });
  await createTopics();
  const env = {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    REGION: 'eu',
    CONSOLE_URL: 'https://console.test',
    PUBLIC_API_URL: 'https://api.test/base/',
    DATABASE_URL: databaseUrl,
    ...(kafkaBrokers
      ? { KAFKA_BROKERS: kafkaBrokers.join(',') }
      : { EVENT_LOG_DATABASE_URL: logDatabase.url }),
    ...settingsOf(tokens),
    ...options.env,
  };
  const instances: Instance[] = [];
  let projects = 0;
  let revision = 0n;
  let calls = 0;

  async function createTopics(): Promise<void> {
    const topic = { partitions: PARTITIONS, replication: 1 };
    await log.createTopics([
      { ...topic, name: directoryTopic, cleanup: 'compact' },
      { ...topic, name: ingestionTopics.identifies, cleanup: 'delete', retentionMs: HOUR_MS },
      { ...topic, name: ingestionTopics.groups, cleanup: 'delete', retentionMs: HOUR_MS },
    ]);
  }

  async function startInstance(more: Env = {}): Promise<Instance> {
    const context = serviceContext(flagsService, { ...env, ...more });
    const service = flagsService.create(context);
    await startService(service, context);
    const server = await listen({ fetch: service.app.hono.fetch, host: '127.0.0.1', port: 0 });
    const instance = {
      url: `http://127.0.0.1:${server.port}`,
      async stop() {
        await server.close(1000);
        await service.stop();
      },
    };
    instances.push(instance);
    return instance;
  }

  async function publishDirectory(...records: DirectoryRecord[]): Promise<void> {
    const outgoing = records.map((record) => outgoingRecord(record, ++revision, PARTITIONS));
    await log.publish(directoryTopic, outgoing);
  }

  async function createProject({ region = 'eu' } = {}): Promise<TestProject> {
    const id = `project-${++projects}`;
    const key = `pk_${region}_${String(projects).padStart(32, 'k')}`;
    const project = { id, companyId: 'company', name: id, region, defaultLanguage: 'en' };
    await publishDirectory(
      directoryRecord('project', project),
      directoryRecord('key', { key, projectId: id }),
    );
    await eventually(async () => {
      const response = await manage('GET', `/projects/${id}/flags`);
      if (response.status === 404) throw new Error('the project is not applied yet');
      const headers = { Authorization: `Bearer ${key}` };
      const { status } = await fetch(`${first.url}/v1/flags/snapshot`, { headers });
      if (status === 401) throw new Error('the key is not applied yet');
    });
    return { id, key };
  }

  const operator = await tokens.mint({ sub: 'operator', permissions: ['service.manage'] });
  const first = await startInstance();

  function manage(method: string, path: string, body?: unknown, url = first.url): Promise<Response> {
    return fetch(`${url}/management/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${operator}` },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  function publish(topic: string, record: IdentifyRecord | GroupRecord): Promise<string> {
    return publishRaw(topic, `${record.project_id}:${record.distinct_id}`, JSON.stringify(record));
  }

  /** Answers the state token, as ingestion would. */
  async function publishRaw(topic: string, key: string, value: string): Promise<string> {
    const partition = partitionFor(key, PARTITIONS);
    const record = { partition, key, value: Buffer.from(value), headers: {} };
    const published = await log.publish(topic, [record]);
    return stateToken({ topic, partition, offset: Number(published.offsetOf(0)) });
  }

  function times(timestamp?: string) {
    const received = new Date(Date.now() + calls++).toISOString();
    return { timestamp: timestamp ?? received, received_at: received };
  }

  return {
    url: first.url,
    databaseUrl,
    sql,
    log,
    tokens,
    manage,
    createProject,
    publishDirectory,
    startInstance,
    publishRaw,

    get: (path: string, key: string, init: { url?: string; headers?: Env } = {}) =>
      fetch(`${init.url ?? first.url}${path}`, {
        headers: { Authorization: `Bearer ${key}`, ...init.headers },
      }),

    async putFlag(project: TestProject, { key, ...definition }: FlagEntry, url = first.url) {
      const path = `/projects/${project.id}/flags/${encodeURIComponent(key)}`;
      const response = await manage('PUT', path, definition, url);
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    },

    async putCohort(project: TestProject, id: string, definition: CohortDefinition) {
      const path = `/projects/${project.id}/cohorts/${encodeURIComponent(id)}`;
      const response = await manage('PUT', path, definition);
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    },

    /** As POST /v1/identify would; answers its X-State-Token. */
    identify: (
      project: TestProject,
      distinctId: string,
      traits: IdentifyRecord['traits'],
      timestamp?: string,
    ) =>
      publish(ingestionTopics.identifies, {
        project_id: project.id,
        distinct_id: distinctId,
        traits,
        ...times(timestamp),
      }),

    /** As POST /v1/group would; answers its X-State-Token. */
    group: (
      project: TestProject,
      distinctId: string,
      group: { type?: string; id: string | null; traits?: GroupRecord['traits'] },
      timestamp?: string,
    ) =>
      publish(ingestionTopics.groups, {
        project_id: project.id,
        distinct_id: distinctId,
        group_type: group.type ?? 'company',
        group_id: group.id,
        traits: group.traits ?? {},
        ...times(timestamp),
      }),

    removeProject: (project: TestProject) =>
      publishDirectory(directoryTombstone('key', project.key), directoryTombstone('project', project.id)),

    async stop() {
      await Promise.all(instances.map((instance) => instance.stop().catch(() => undefined)));
      await log.close();
      await sql.end({ timeout: 1 });
      await tokens.stop();
      await Promise.all([own.drop(), logDatabase.drop()]);
    },
  };
}

function settingsOf({ issuer, audience, jwksUrl }: AccessTokens): Env {
  return { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience, AUTH_JWKS_URL: jwksUrl };
}

/** The JSON of an answer. */
export async function json(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}
