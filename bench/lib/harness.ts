import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@switchboard/embedded-postgres';
import { MALLOC_SETTINGS, SEMI_SPACE_FLAG } from '@switchboard/engine';
import { type Harness, type HarnessOptions, openHarness } from '@switchboard/testkit';

/** The flags of the images. */
export const HEAP_FLAGS = [SEMI_SPACE_FLAG];

/** Returns the heap flags that the images give a process in a pod with this memory limit. */
export const heapFlagsOf = (memoryMib: number): string[] => [
  `--max-old-space-size=${Math.floor(memoryMib * HEAP_SHARE)}`,
];
const HEAP_SHARE = 0.5;

/** Returns the flags with which Node.js writes a CPU profile into a folder. */
export const profileFlags = (folder: string | undefined): string[] =>
  folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];

export interface BenchHarness {
  harness: Harness;
  stop(): Promise<void>;
}

export interface BenchHarnessOptions {
  /** Whether PostgreSQL syncs commits to disk. */
  durable: boolean;
  /** The data folder of PostgreSQL. Default: a temporary folder. */
  directory?: string;
  /** The services with databases to keep in the folder, under their names. */
  databases?: readonly string[];
  env?: Record<string, string>;
  log?: HarnessOptions['log'];
}

/** Starts PostgreSQL and provides access tokens and settings for services that run as processes, as in production. */
export async function openBenchHarness(options: BenchHarnessOptions): Promise<BenchHarness> {
  const { durable, env = {}, databases = [], log } = options;
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'switchboard-bench-')));
  const postgres = await startPostgres({ directory, durable, databases: [...databases] });
  const harness = await openHarness({
    log,
    databases: Object.fromEntries(databases.map((name) => [name, postgres.url(name)])),
    postgresUrl: postgres.url('postgres'),
    env: {
      NODE_ENV: 'production',
      ...MALLOC_SETTINGS,
      NODE_OPTIONS: process.env['NODE_OPTIONS'],
      LOG_LEVEL: 'warn',
      CONSOLE_URL: 'http://127.0.0.1:9',
      PUBLIC_API_URL: 'http://127.0.0.1:9',
      ...env,
    },
  });
  return {
    harness,
    async stop() {
      await harness.stop();
      await postgres.stop();
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}
