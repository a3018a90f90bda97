import { COHORT_MEMBERS_TOPIC } from '@switchboard/contracts';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { openKafkaLog, openPostgresLog } from '@switchboard/event-log';
import { call, eventually, startKafka } from '@switchboard/testkit';
import { installed } from '../lib/backings.ts';
import { HEAP_FLAGS, openBenchHarness } from '../lib/harness.ts';
import { PROJECT_ID, PROJECT_KEY } from '../lib/project.ts';
import { startStandalone } from './standalone.ts';

export const LOGS = ['standalone', 'postgres', 'kafka'] as const;
export type LogName = (typeof LOGS)[number];
const PARTITIONS = 4;

/** The URLs for identify calls and for flag evaluations. */
export interface Deployment {
  projectKey: string;
  ingestion: string[];
  flags: string[];
  stop(): Promise<void>;
}

export async function deployStandalone(): Promise<Deployment> {
  const { demo, stop } = await startStandalone();
  return { projectKey: demo.project_key, ingestion: [demo.eu_api_url], flags: [demo.base_url], stop };
}

/** Starts two instances each of ingestion and flags, as separate processes. */
export async function deployInstances(on: Exclude<LogName, 'standalone'>): Promise<Deployment> {
  const kafka = on === 'kafka' ? installed(on, await startKafka()) : undefined;
  const { harness, stop } = await openBenchHarness({
    durable: true,
    env: { TOPIC_PARTITIONS: String(PARTITIONS) },
    ...(kafka === undefined ? {} : { log: { kafka: kafka.brokers } }),
  });
  if (kafka !== undefined) harness.defer(() => kafka.stop());
  const log =
    kafka === undefined
      ? openPostgresLog({ url: harness.logUrl })
      : openKafkaLog({ brokers: kafka.brokers, clientId: 'bench' });
  const directory = await createDirectoryPublisher(log, { partitions: PARTITIONS });
  // Retries, because a new topic is unknown for a moment.
  await eventually(() =>
    directory.putProject({ id: PROJECT_ID, companyId: 'bench', name: 'Bench', key: PROJECT_KEY }),
  );
  // Analytics, which creates it, does not run.
  await log.createTopics([{ name: COHORT_MEMBERS_TOPIC, partitions: 1, replication: 1, cleanup: 'compact' }]);
  await log.close();

  const start = async (service: 'ingestion' | 'flags') =>
    (await harness.spawn(service, { flags: HEAP_FLAGS, output: 'inherit' })).url;
  const ingestion = [await start('ingestion'), await start('ingestion')];
  const flags = [await start('flags'), await start('flags')];
  const token = await harness.mint({ sub: 'bench', permissions: ['service.manage'] });
  const body = {
    enabled: true,
    rolloutPercentage: 100,
    targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }],
  };
  await eventually(async () => {
    const url = `${flags[0]}/management/v1/projects/${PROJECT_ID}/flags/pro-dashboard`;
    const { status } = await call('PUT', url, { token, body });
    if (status !== 200) throw new Error(`the flag was not created: ${status}`);
  });
  return { projectKey: PROJECT_KEY, ingestion, flags, stop };
}
