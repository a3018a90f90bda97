import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ingestionTopics } from '@switchboard/contracts';
import { directoryRecord, directoryTopic, outgoingRecord } from '@switchboard/directory';
import { startPostgres } from '@switchboard/embedded-postgres';
import { type EventLog, type OutgoingRecord, openPostgresLog, partitionFor } from '@switchboard/event-log';
import { accessTokens, eventually, freePort } from '@switchboard/testkit';
import { type ServerProcess, startServer } from '../lib/process.ts';
import { benchCohort, benchFlags } from './ruleset.ts';

export const PROJECT_ID = 'bench';
export const PROJECT_KEY = `pk_eu_${'a'.repeat(32)}`;
export const authorized = { Authorization: `Bearer ${PROJECT_KEY}` };
const PARTITIONS = 4;

export interface Setting {
  log: EventLog;
  service: ServerProcess;
  /** Another instance on the same backings, for whoever started it to stop. */
  startInstance(): Promise<ServerProcess>;
  /** Creates or replaces a flag or a cohort, through the management API of an instance. */
  put(port: number, path: string, body: unknown): Promise<void>;
  /** Publishes calls as ingestion would, each on its person's partition. */
  publish(topic: string, calls: readonly Call[]): Promise<void>;
  stop(): Promise<void>;
}

export interface Call {
  distinct_id: string;
  traits: Record<string, unknown>;
  group_type?: string;
  group_id?: string;
}

/** The flags service as a process, with a project of 100 flags and a cohort; PostgreSQL is its event log too. */
export async function setUp(flags: string[]): Promise<Setting> {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  const postgres = await startPostgres({ directory, databases: ['flags', 'log'], durable: false });
  const log = openPostgresLog({ url: postgres.url('log') });
  await fillLog(log);
  const tokens = await accessTokens();
  const env = {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    REGION: 'eu',
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    AUTH_JWKS_URL: tokens.jwksUrl,
    CONSOLE_URL: 'http://127.0.0.1:9',
    PUBLIC_API_URL: 'http://127.0.0.1:9',
    DATABASE_URL: postgres.url('flags'),
    EVENT_LOG_DATABASE_URL: postgres.url('log'),
    TOPIC_PARTITIONS: String(PARTITIONS),
  };
  const script = join(import.meta.dirname, '../../services/flags/src/main.ts');
  const startInstance = async () =>
    startServer({ script, port: await freePort(), readyPath: '/health/ready', flags, env });
  const service = await startInstance();
  const token = await tokens.mint({ sub: 'bench', permissions: ['service.manage'] });
  const put = putter(token);
  await writeRuleset((path, body) => put(service.port, path, body));
  return {
    log,
    service,
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
    async stop() {
      await service.stop();
      await log.close();
      await tokens.stop();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function fillLog(log: EventLog): Promise<void> {
  const topic = { partitions: PARTITIONS, replication: 1 };
  await log.createTopics([
    { ...topic, name: directoryTopic, cleanup: 'compact' },
    { ...topic, name: ingestionTopics.identifies, cleanup: 'delete' },
    { ...topic, name: ingestionTopics.groups, cleanup: 'delete' },
  ]);
  const project = { id: PROJECT_ID, companyId: 'bench', name: 'Bench', region: 'eu', defaultLanguage: 'en' };
  const records = [
    directoryRecord('project', project),
    directoryRecord('key', { key: PROJECT_KEY, projectId: project.id }),
  ];
  await log.publish(
    directoryTopic,
    records.map((record) => outgoingRecord(record, 1n, PARTITIONS)),
  );
}

function putter(token: string): Setting['put'] {
  return async (port, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}/management/v1/projects/${PROJECT_ID}/${path}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
}

async function writeRuleset(put: (path: string, body: unknown) => Promise<void>): Promise<void> {
  await eventually(() => put('cohorts/beta', benchCohort));
  for (const { key, ...definition } of benchFlags()) await put(`flags/${key}`, definition);
}
