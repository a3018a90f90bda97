import { type Database, openDatabase } from '@switchboard/database';
import { createDirectoryPublisher, type DirectoryPublisher } from '@switchboard/directory/testing';
import { openPostgresLog } from '@switchboard/event-log';
import type { Harness, Program } from '@switchboard/testkit';
import { HEAP_FLAGS, openBenchHarness } from '../../lib/harness.ts';
import { PROJECT_ID, PROJECT_KEY } from '../../lib/project.ts';

const COMPANY_ID = 'company';
export const MEMBER = 'person-0';

/** One service as a process, with one project. PostgreSQL is also its event log. */
export interface Site {
  harness: Harness;
  service: Program;
  sql: Database['sql'];
  directory: DirectoryPublisher;
  stop(): Promise<void>;
}

export async function startSite(name: string, env: Record<string, string> = {}): Promise<Site> {
  const { harness, stop } = await openBenchHarness({
    durable: false,
    env: { TOPIC_PARTITIONS: '1', ...env },
  });
  const log = openPostgresLog({ url: harness.logUrl });
  harness.defer(() => log.close());
  const directory = await createDirectoryPublisher(log);
  const project = { id: PROJECT_ID, companyId: COMPANY_ID, key: PROJECT_KEY, members: [MEMBER] };
  await directory.putProject(project);
  const service = await harness.spawn(name, { flags: HEAP_FLAGS, output: 'inherit' });
  const database = await openForFilling(await harness.databaseUrl(name));
  harness.defer(() => database.close());
  return { harness, service, sql: database.sql, directory, stop };
}

export async function openForFilling(url: string): Promise<Database> {
  return openDatabase({ url, applicationName: 'bench', statementTimeoutMs: 600_000 });
}
