import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';

/** `NAME=value` lines, which is what the loader makes of some, or an object. */
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

/** The loader that Docker Compose uses; undefined where `deploy/backings/install.sh compose` did not put it. */
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
 * What a Compose file comes to, defaults filled in and other files taken into account. Throws with the loader's words
 * when the file is not as the Compose specification has it.
 */
export async function loadComposeFile(loader: string, file = join(REPOSITORY, 'docker-compose.yml')) {
  const { stdout } = await promisify(execFile)(loader, ['--format', 'json', file], {
    cwd: REPOSITORY,
    // Neither a .env of this checkout nor this process's environment changes what is tried.
    env: { COMPOSE_DISABLE_ENV_FILE: '1' },
    maxBuffer: 16_000_000,
  });
  return project.parse(JSON.parse(stdout)).services;
}
