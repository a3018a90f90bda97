import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryRecord, directoryTopic, outgoingRecord } from '@switchboard/directory';
import { startPostgres } from '@switchboard/embedded-postgres';
import { openPostgresLog } from '@switchboard/event-log';
import { accessTokens, eventually, freePort } from '@switchboard/testkit';
import { type ServerProcess, startServer } from '../lib/process.ts';

export const PROJECT_ID = 'bench';
export const PROJECT_KEY = `pk_eu_${'a'.repeat(32)}`;
export const authorized = { Authorization: `Bearer ${PROJECT_KEY}` };
const UNLIMITED = ['OPENS_PER_ADDRESS_PER_MINUTE', 'OPENS_PER_PROJECT_PER_MINUTE', 'SOCKETS_PER_ADDRESS'];

export interface Setting {
  service: ServerProcess;
  manage(method: string, path: string, body: unknown): Promise<void>;
  stop(): Promise<void>;
}

/** The messenger service as a process, with one project; PostgreSQL is its event log too. */
export async function setUp({ durable }: { durable: boolean }): Promise<Setting> {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  const postgres = await startPostgres({ directory, databases: ['messenger', 'log'], durable });
  const log = openPostgresLog({ url: postgres.url('log') });
  await log.createTopics([{ name: directoryTopic, partitions: 1, replication: 1, cleanup: 'compact' }]);
  const project = {
    id: PROJECT_ID,
    companyId: 'company',
    name: 'Bench',
    region: 'eu',
    defaultLanguage: 'en',
  };
  const records = [
    directoryRecord('plan', { tier: 'pro', cycle: 'monthly', entitlements: {} }),
    directoryRecord('company', {
      ...{ id: 'company', name: 'Company', entitlements: {} },
      plan: { tier: 'pro', cycle: 'monthly' },
    }),
    directoryRecord('key', { key: PROJECT_KEY, projectId: PROJECT_ID }),
    directoryRecord('project', project),
  ];
  await log.publish(
    directoryTopic,
    records.map((record) => outgoingRecord(record, 1n, 1)),
  );
  const tokens = await accessTokens();
  const service = await startServer({
    script: join(import.meta.dirname, '../../services/messenger/src/main.ts'),
    port: await freePort(),
    readyPath: '/health/ready',
    flags: ['--max-semi-space-size=16'],
    env: {
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      REGION: 'eu',
      AUTH_ISSUER: tokens.issuer,
      AUTH_AUDIENCE: tokens.audience,
      AUTH_JWKS_URL: tokens.jwksUrl,
      CONSOLE_URL: 'http://127.0.0.1:9',
      PUBLIC_API_URL: 'http://127.0.0.1:9',
      DATABASE_URL: postgres.url('messenger'),
      EVENT_LOG_DATABASE_URL: postgres.url('log'),
      IDENTITY_SECRET: 'of the bench and nobody else in the world',
      TURNS_PER_CONVERSATION_PER_MINUTE: '1000000',
      ...Object.fromEntries(UNLIMITED.map((name) => [name, '1000000'])),
    },
  });
  const token = await tokens.mint({ sub: 'bench', permissions: ['service.manage'] });
  return {
    service,
    manage: (method, path, body) =>
      eventually(async () => {
        const url = `http://127.0.0.1:${service.port}/management/v1/projects/${PROJECT_ID}${path}`;
        const headers = { Authorization: `Bearer ${token}` };
        const { status } = await fetch(url, { method, headers, body: JSON.stringify(body) });
        if (status >= 300) throw new Error(`${method} ${path} answered ${status}`);
      }),
    async stop() {
      await service.stop();
      await log.close();
      await tokens.stop();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
