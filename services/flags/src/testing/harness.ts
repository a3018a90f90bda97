import {
  COHORT_MEMBERS_TOPIC,
  type CohortDefinition,
  type CohortList,
  cohortListKey,
  type FlagEntry,
  type GroupRecord,
  type IdentifyRecord,
  ingestionTopics,
  stateToken,
} from '@switchboard/contracts';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { openKafkaLog, openPostgresLog, partitionFor, readTopic } from '@switchboard/event-log';
import { type Env, eventually, openHarness, type RunningInstance } from '@switchboard/testkit';
import postgres from 'postgres';
import { afterAll } from 'vitest';
import { flagsService } from '../service.ts';

const PARTITIONS = 4;
const HOUR_MS = 3_600_000;

/** A project of the test, with its key. */
export interface TestProject {
  id: string;
  key: string;
}

/** A running instance of the service. */
export type Instance = RunningInstance;

export type Harness = Awaited<ReturnType<typeof startHarness>>;

interface StartOptions {
  /** A new database by default. */
  databaseUrl?: string;
  /** The PostgreSQL event log by default. */
  kafkaBrokers?: readonly string[];
  env?: Env;
}

/** Starts an instance of the service. Publishes the records of the catalogue and ingestion services. */
export async function startHarness({ databaseUrl, kafkaBrokers, env = {} }: StartOptions = {}) {
  const harness = await openHarness({
    services: { flags: flagsService },
    env: { PUBLIC_API_URL: 'https://api.test/base/', ...env },
    ...(kafkaBrokers === undefined ? {} : { log: { kafka: kafkaBrokers } }),
    ...(databaseUrl === undefined ? {} : { databases: { flags: databaseUrl } }),
  });
  const log =
    kafkaBrokers === undefined
      ? openPostgresLog({ url: harness.env['EVENT_LOG_DATABASE_URL'] ?? '' })
      : openKafkaLog({ brokers: [...kafkaBrokers], clientId: 'test' });
  harness.defer(() => log.close());
  const ownUrl = await harness.databaseUrl('flags');
  const sql = postgres(ownUrl, { max: 2, onnotice: () => undefined });
  harness.defer(() => sql.end({ timeout: 1 }));
  const directory = await createDirectoryPublisher(log, { partitions: PARTITIONS });
  const topic = { partitions: PARTITIONS, replication: 1, cleanup: 'delete', retentionMs: HOUR_MS } as const;
  await log.createTopics([
    { ...topic, name: ingestionTopics.identifies },
    { ...topic, name: ingestionTopics.groups },
    { name: COHORT_MEMBERS_TOPIC, partitions: 1, replication: 1, cleanup: 'compact', deadLetter: false },
  ]);
  const operator = await harness.mint({ sub: 'operator', permissions: ['service.manage'] });
  const first = await harness.start('flags');
  let calls = 0;

  async function createProject(
    options: { region?: string; companyId?: string; wires?: string[] } = {},
  ): Promise<TestProject> {
    const { id, key } = await directory.putProject(options);
    await eventually(async () => {
      const response = await manage('GET', `/projects/${id}/flags`);
      if (response.status === 404) throw new Error('the project is not applied yet');
      const headers = { Authorization: `Bearer ${key}` };
      const { status } = await fetch(`${first.url}/v1/flags/snapshot`, { headers });
      if (status === 401) throw new Error('the key is not applied yet');
    });
    return { id, key };
  }

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

  /** Publishes a record. Returns its state token, as ingestion does. */
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

  /** Waits until a consumer group has handled every record of the topics. */
  async function handled(group: string, topics: string[]): Promise<void> {
    const check = async () => {
      const lag = await log.lag(group, topics);
      if (lag.some(({ behind }) => behind > 0n)) throw new Error(`${group} is behind`);
    };
    await eventually(check, { withinMs: 45_000 });
  }

  return {
    url: first.url,
    databaseUrl: ownUrl,
    sql,
    log,
    mint: harness.mint,
    directory,
    manage,
    createProject,
    startInstance: (instanceEnv: Env = {}): Promise<Instance> => harness.start('flags', instanceEnv),
    stop: harness.stop,
    publishRaw,
    handled,
    /** Waits until the service has applied every published record. */
    settled: () => handled('flags.user-state', [ingestionTopics.identifies, ingestionTopics.groups]),

    async deadLetters(topic: string): Promise<{ value: string; reason: string }[]> {
      const found: { value: string; reason: string }[] = [];
      await readTopic(log, `${topic}.dead-letter`, {
        onRecord: ({ value, headers }) =>
          found.push({ value: String(value), reason: headers['dead-letter-reason'] ?? '' }),
      });
      return found;
    },

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

    /** Publishes parts of a cohort's computed list by prefix, and its state, and waits until they are applied. */
    async publishList(
      { id: projectId }: TestProject,
      cohortId: string,
      parts: Record<string, string[] | null>,
      list: CohortList | null,
    ) {
      const encoded = (value: object | null) => value && Buffer.from(JSON.stringify(value));
      const records = [
        ...Object.entries(parts).map(([prefix, members]) => ({
          key: cohortListKey(projectId, cohortId, prefix),
          value: encoded(members && { members }),
        })),
        { key: cohortListKey(projectId, cohortId), value: encoded(list) },
      ];
      await log.publish(
        COHORT_MEMBERS_TOPIC,
        records.map((record) => ({ ...record, partition: 0, headers: {} })),
      );
      await handled('flags.cohort-members', [COHORT_MEMBERS_TOPIC]);
    },

    /** Publishes the record of POST /v1/identify and returns its X-State-Token. */
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

    /** Publishes the record of an identify call that names the id that the visitor had before. */
    join: (project: TestProject, anonymousId: string, distinctId: string, traits = {}, timestamp?: string) =>
      publish(ingestionTopics.identifies, {
        project_id: project.id,
        distinct_id: distinctId,
        anonymous_id: anonymousId,
        traits,
        ...times(timestamp),
      }),

    /** Publishes the record of POST /v1/group and returns its X-State-Token. */
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
  };
}

/** Starts flags, and stops it after the tests of this file. */
export async function useFlags(options: StartOptions = {}): Promise<Harness> {
  const harness = await startHarness(options);
  afterAll(() => harness.stop());
  return harness;
}

/** Returns the JSON of a response. */
export async function json(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}
