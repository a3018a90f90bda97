import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { backingProgram } from '@switchboard/testkit';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';

/** An object, or `NAME=value` lines. The loader prints either. */
const environment = z
  .union([z.record(z.string(), z.coerce.string()), z.array(z.string())])
  .transform((given): Record<string, string> => {
    if (!Array.isArray(given)) return given;
    return Object.fromEntries(given.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  });

const service = z.object({
  image: z.string(),
  build: z
    .object({
      dockerfile: z.string(),
      target: z.string().optional(),
      args: z.record(z.string(), z.string()).default({}),
    })
    .optional(),
  command: z.array(z.string()).nullish(),
  environment: environment.default({}),
  ports: z.array(z.object({ host_ip: z.string(), published: z.string(), target: z.int() })).default([]),
  volumes: z
    .array(z.object({ type: z.string(), source: z.string().optional(), target: z.string() }))
    .default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()).optional(), disable: z.boolean().optional() }).optional(),
  stop_grace_period: z.string().optional(),
  read_only: z.boolean().default(false),
  user: z.string().optional(),
  mem_limit: z.string().optional(),
});
export type ComposeService = z.infer<typeof service>;

const project = z.object({ services: z.record(z.string(), service) });

/**
 * Returns the loader of Docker Compose, or undefined if `deploy/backings/install.sh compose` has not installed it.
 */
export const composeLoader = () => backingProgram('compose-spec', 'compose');

const COMPOSE_FILE = join(REPOSITORY, 'docker-compose.yml');
/** The Compose files with the overlay for three brokers and two of each process. */
export const CLUSTER_FILES = [COMPOSE_FILE, join(REPOSITORY, 'deploy/docker/cluster.yml')];

/**
 * Resolves Compose files (default: docker-compose.yml): defaults, extended files and variables. Throws the loader's
 * message if a file violates the Compose specification.
 */
export async function loadComposeFile(loader: string, files = [COMPOSE_FILE]) {
  const { stdout } = await promisify(execFile)(loader, ['--format', 'json', ...files], {
    cwd: REPOSITORY,
    // Neither a .env file nor this process's environment may change the result.
    env: { COMPOSE_DISABLE_ENV_FILE: '1' },
    maxBuffer: 16_000_000,
  });
  return project.parse(JSON.parse(stdout)).services;
}
