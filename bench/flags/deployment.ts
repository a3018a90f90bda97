import { COHORT_MEMBERS_TOPIC, ingestionTopics } from '@switchboard/contracts';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { type EventLog, type OutgoingRecord, openPostgresLog, partitionFor } from '@switchboard/event-log';
import { call, eventually, type Program } from '@switchboard/testkit';
import { HEAP_FLAGS, openBenchHarness } from '../lib/harness.ts';
import { PROJECT_ID, PROJECT_KEY } from '../lib/project.ts';
import { benchCohort, benchFlags } from './ruleset.ts';

const PARTITIONS = 4;

export interface Deployment {
  log: EventLog;
  service: Program;
  /** Returns the URL of the service's database. */
  databaseUrl(): Promise<string>;
  /** Starts another instance on the same backings. */
  startInstance(): Promise<Program>;
  /** Creates or replaces a flag or a cohort through the management API of an instance. */
  put(url: string, path: string, body: unknown): Promise<void>;
  /** Publishes calls as ingestion does, each to its person's partition. */
  publish(topic: string, calls: readonly Call[]): Promise<void>;
  stop(): Promise<void>;
}

export interface Call {
  distinct_id: string;
  traits: Record<string, unknown>;
  group_type?: string;
  group_id?: string;
}

/** Starts the flags service with a project of 100 flags and a cohort. PostgreSQL is also its event log. */
export async function deploy(flags: readonly string[] = [], workers = '1'): Promise<Deployment> {
  const { harness, stop } = await openBenchHarness({
    durable: false,
    env: { TOPIC_PARTITIONS: String(PARTITIONS) },
  });
  const log = openPostgresLog({ url: harness.logUrl });
  harness.defer(() => log.close());
  const topic = { partitions: PARTITIONS, replication: 1, cleanup: 'delete' as const };
  await log.createTopics([
    { ...topic, name: ingestionTopics.identifies },
    { ...topic, name: ingestionTopics.groups },
    { ...topic, name: COHORT_MEMBERS_TOPIC },
  ]);
  const directory = await createDirectoryPublisher(log, { partitions: PARTITIONS });
  await directory.putProject({ id: PROJECT_ID, companyId: 'bench', name: 'Bench', key: PROJECT_KEY });
  const startInstance = () =>
    harness.spawn('flags', {
      flags: [...HEAP_FLAGS, ...flags],
      env: { WORKERS: workers },
      output: 'inherit',
    });
  const service = await startInstance();
  const token = await harness.mint({ sub: 'bench', permissions: ['service.manage'] });

  async function put(url: string, path: string, body: unknown): Promise<void> {
    const target = `${url}/management/v1/projects/${PROJECT_ID}/${path}`;
    const response = await call('PUT', target, { token, body });
    if (response.status !== 200) {
      throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`);
    }
  }

  await eventually(() => put(service.url, 'cohorts/beta', benchCohort));
  for (const { key, ...definition } of benchFlags()) await put(service.url, `flags/${key}`, definition);
  return {
    log,
    service,
    databaseUrl: () => harness.databaseUrl('flags'),
    startInstance,
    put,
    async publish(topic, calls) {
      const now = new Date().toISOString();
      const records = calls.map((call): OutgoingRecord => {
        const key = `${PROJECT_ID}:${call.distinct_id}`;
        const value = Buffer.from(
          JSON.stringify({ project_id: PROJECT_ID, ...call, timestamp: now, received_at: now }),
        );
        return { partition: partitionFor(key, PARTITIONS), key, value, headers: {} };
      });
      await log.publish(topic, records);
    },
    stop,
  };
}
