import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@switchboard/embedded-postgres';
import type { TestProject } from 'vitest/node';
import { startContainer, wantsContainers } from './backings/container.ts';

/** Vitest's global setup: provides a PostgreSQL server and a folder for the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-tests-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  project.provide('runFolder', folder);
  try {
    const stop = await providePostgres(project, join(folder, 'postgres'));
    return async () => {
      await stop();
      await remove();
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Uses PostgreSQL at TEST_DATABASE_URL, or starts one for the run, on request in a container. */
async function providePostgres(project: TestProject, directory: string): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given || wantsContainers()) {
    project.provide('postgresUrl', given || (await postgresContainer()));
    return async () => undefined;
  }
  const server = await startPostgres({ directory, durable: false });
  project.provide('postgresUrl', server.url('postgres'));
  return () => server.stop();
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
