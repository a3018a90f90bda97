import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@switchboard/embedded-postgres';
import type { TestProject } from 'vitest/node';

/** Vitest's global setup: PostgreSQL at TEST_DATABASE_URL, or one that is started for the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) {
    project.provide('postgresUrl', given);
    return async () => undefined;
  }
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-tests-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  const server = await startPostgres({ directory, durable: false }).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  project.provide('postgresUrl', server.url('postgres'));
  return async () => {
    await server.stop();
    await remove();
  };
}
