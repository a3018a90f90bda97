import { execFile, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import type { GenericContainer, WaitStrategy } from 'testcontainers';
import { freePort } from '../ports.ts';

/** Returns whether tests use containers even for installed programs: TEST_BACKINGS=containers. */
export const wantsContainers = (): boolean => process.env['TEST_BACKINGS'] === 'containers';

/** Returns whether this machine has a container engine that responds. */
export async function hasEngine(): Promise<boolean> {
  const version = promisify(execFile)('docker', ['version', '--format', '{{.Server.Version}}'], {
    timeout: 5_000,
  });
  return version.then(
    () => true,
    () => false,
  );
}

/** On busy cores, Java takes over a minute. */
const START_MS = 180_000;

interface ContainerOptions {
  image: string;
  /** The port of the program in the container. It is published on a free port of the loopback address. */
  port: number;
  env?(published: number): Record<string, string>;
  entrypoint?: string[];
  command?: string[];
  ready(wait: typeof import('testcontainers').Wait): WaitStrategy;
}

/** Starts a container that ends with this process. Resolves to its published port. */
export async function startContainer({
  image,
  port,
  env,
  entrypoint,
  command,
  ready,
}: ContainerOptions): Promise<number> {
  const testcontainers = await import('testcontainers');
  const published = await freePort();
  let wanted: GenericContainer = new testcontainers.GenericContainer(image)
    .withExposedPorts({ container: port, host: published })
    .withEnvironment(env?.(published) ?? {})
    .withWaitStrategy(ready(testcontainers.Wait).withStartupTimeout(START_MS));
  if (entrypoint !== undefined) wanted = wanted.withEntrypoint(entrypoint);
  if (command !== undefined) wanted = wanted.withCommand(command);
  const container = await wanted.start();
  removeAfterExit(container.getId());
  return published;
}

/**
 * Removes a container when this process has ended: the kernel then closes the input that the shell waits for.
 * Vitest ends its workers without letting them clean up, and the reaper of Testcontainers does not run in every
 * engine. The container is killed first, because Podman would give each one ten seconds to end.
 */
function removeAfterExit(id: string): void {
  const shell = spawn(
    'sh',
    ['-c', 'cat; docker kill "$1"; exec docker rm --force --volumes "$1"', 'sh', id],
    {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  );
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
}
