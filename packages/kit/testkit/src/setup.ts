import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@switchboard/embedded-postgres';
import type { TestProject } from 'vitest/node';
import { startContainer, wantsContainers } from './backings/container.ts';

/**
 * Vitest's global setup: uses PostgreSQL at TEST_DATABASE_URL, or starts one for the run, on request in a container.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) {
    project.provide('postgresUrl', given);
    return async () => undefined;
  }
  if (wantsContainers()) {
    project.provide('postgresUrl', await postgresContainer());
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

async function postgresContainer(): Promise<string> {
  const port = await startContainer({
    image: 'postgres:18-alpine',
    port: 5432,
    env: () => ({ POSTGRES_PASSWORD: 'postgres' }),
    command: ['postgres', '-c', 'fsync=off', '-c', 'max_connections=300'],
    // The first such message means only that it is ready to create databases.
    ready: (wait) => wait.forLogMessage(/ready to accept connections/, 2),
  });
  return `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
}
