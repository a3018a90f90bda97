import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { REPOSITORY } from '../harness/repository.ts';

const run = promisify(execFile);
const OPTIONS = { cwd: REPOSITORY, maxBuffer: 64_000_000 };

/** Whether docker-compose.yml is up for tests. Set by .ci/containers. */
export const IS_UP = process.env['CONTAINERS'] === '1';

/** Whether it is up with deploy/docker/cluster.yml. */
export const IS_CLUSTER = process.env['CONTAINERS'] === 'cluster';

/** Containers that run the code of a service and get requests or records from the load. */
export const CONTAINERS = [
  'catalogue',
  'collaboration',
  'messenger',
  'flags',
  'flags-user-state',
  'ingestion',
  'archive',
  'archive-events',
  'archive-replays',
];

/** Runs `docker` with these arguments and returns its output. Rejects if it fails. */
export async function docker(...args: string[]): Promise<string> {
  return (await run('docker', args, OPTIONS)).stdout;
}

/** Runs `docker compose` with these arguments and returns its output. Rejects if it fails. */
export const compose = (...args: string[]) => docker('compose', ...args);

/** Starts these services and all changed ones, each in a new container. Resolves when they are healthy. */
export const replace = (...services: string[]) =>
  compose('up', '--detach', '--wait', '--no-deps', '--no-build', '--force-recreate', ...services);

/** Sends SIGKILL. Podman reports an error if the container takes long to end, although it ends. */
export const kill = (service: string) => ended(['compose', 'kill', service]);

/**
 * Replaces a lost container with its replica, as docs/deploy.md describes: removes the lost container, promotes
 * the replica with a command inside it, and gives it the name.
 */
export async function takeOver(lost: string, replica: string, ...promote: string[]): Promise<void> {
  await compose('rm', '--stop', '--force', lost);
  const { code, output } = await inside(replica, ...promote);
  if (code !== 0) throw new Error(output);
  const network = `${process.env['COMPOSE_PROJECT_NAME']}_default`;
  const id = (await compose('ps', '--quiet', replica)).trim();
  await docker('network', 'disconnect', network, id);
  await docker('network', 'connect', '--alias', lost, '--alias', replica, network, id);
}

interface Ended {
  code: number;
  /** The complete output. */
  output: string;
}

/** Runs a command in a container of a service. */
export function inside(service: string, ...command: string[]): Promise<Ended> {
  return ended(['compose', 'exec', '--no-TTY', service, ...command]);
}

/** Runs `docker`. Resolves with its exit code and output, even if it fails. */
export function ended(args: string[]): Promise<Ended> {
  return run('docker', args, OPTIONS).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}
