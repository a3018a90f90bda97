import { join } from 'node:path';
import type { TestMigrations } from '../test-database.ts';
import { programFile } from './bundle.ts';
import { type Env, type Program, type ProgramOptions, spawnProgram } from './program.ts';

/** The interface of a service definition (`defineService` of the service kit) for tests. */
export interface Startable<Running extends RunningInstance = RunningInstance> {
  name: string;
  migrations: readonly TestMigrations[];
  start(env: Env, options?: StartOptions): Promise<Running>;
}

export interface RunningInstance {
  url: string;
  stop(): Promise<void>;
}

export interface StartOptions {
  clock?: { now(): Date };
  /** A logger of the service kit. */
  logger?: object;
  /** Default: 127.0.0.1. */
  host?: string;
  /** Default: a free port. */
  port?: number;
  /** Constants of the service that a test replaces. */
  constants?: object;
}

/** Starts a service in this process on a real port, without a log. Resolves when it is ready. */
export function startService<Running extends RunningInstance>(
  definition: Startable<Running>,
  env: Env,
  options?: StartOptions,
): Promise<Running> {
  return definition.start({ LOG_LEVEL: 'silent', ...env }, options);
}

export interface SpawnServiceOptions extends Pick<ProgramOptions, 'port' | 'readyWithinMs' | 'output'> {
  env: Env;
  /** Flags for Node.js. */
  flags?: readonly string[];
  /** The folder of the services, such as that of another version. Default: the programs of this checkout. */
  folder?: string;
  /** Default: `/health/ready`. `false` does not wait. */
  ready?: ProgramOptions['ready'] | false;
}

/** Returns the command that runs a service: its main.ts, with the Node.js that runs this process. */
export async function serviceCommand(
  name: string,
  { flags = [], folder }: Pick<SpawnServiceOptions, 'flags' | 'folder'> = {},
): Promise<[string, ...string[]]> {
  const main = join(name, 'src/main.ts');
  return [
    'node',
    ...flags,
    folder === undefined ? await programFile(`services/${main}`) : join(folder, main),
  ];
}

/** Starts a service as a separate process. Resolves when it is ready. */
export async function spawnService(name: string, options: SpawnServiceOptions): Promise<Program> {
  const { env, port, readyWithinMs, output, ready = '/health/ready' } = options;
  return spawnProgram({
    command: await serviceCommand(name, options),
    env: { HOST: '127.0.0.1', ...env },
    port,
    ready: ready === false ? undefined : ready,
    readyWithinMs,
    output,
  });
}
