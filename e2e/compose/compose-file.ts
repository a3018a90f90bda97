import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';

/** An object, or `NAME=value` lines; the loader prints either. */
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
  volumes: z.array(z.object({ type: z.string(), target: z.string() })).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()).optional(), disable: z.boolean().optional() }).optional(),
  read_only: z.boolean().default(false),
  user: z.string().optional(),
  mem_limit: z.string().optional(),
});
export type ComposeService = z.infer<typeof service>;

const project = z.object({ services: z.record(z.string(), service) });

/** The loader of Docker Compose. Undefined if `deploy/backings/install.sh compose` has not installed it. */
export function composeLoader(): string | undefined {
  const home = process.env['SWITCHBOARD_BACKINGS'] || join(homedir(), '.cache', 'switchboard-backings');
  const program = join(home, 'bin', 'compose-spec');
  if (existsSync(program)) return program;
  if (process.env['REQUIRE_BACKINGS'] !== '1') return undefined;
  throw new Error(
    `no compose-spec in ${home} and REQUIRE_BACKINGS=1: run deploy/backings/install.sh compose`,
  );
}

/**
 * Resolves a Compose file: defaults, extended files and variables. Throws the loader's message if the file violates
 * the Compose specification.
 */
export async function loadComposeFile(loader: string, file = join(REPOSITORY, 'docker-compose.yml')) {
  const { stdout } = await promisify(execFile)(loader, ['--format', 'json', file], {
    cwd: REPOSITORY,
    // Neither a .env file nor this process's environment may change the result.
    env: { COMPOSE_DISABLE_ENV_FILE: '1' },
    maxBuffer: 16_000_000,
  });
  return project.parse(JSON.parse(stdout)).services;
}
