import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oncePerRun, type Program, programFile, spawnProgram } from '@switchboard/testkit';
import { execa } from 'execa';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';

const demoJson = z.looseObject({
  base_url: z.string(),
  eu_api_url: z.string(),
  eu_replay_url: z.string(),
  management_url: z.string(),
  console_url: z.string(),
  project_id: z.string(),
  report_id: z.string(),
  project_key: z.string(),
  other_region_key: z.string(),
  identity_secret: z.string(),
  tokens: z.object({ owner: z.string(), teammate: z.string(), outsider: z.string(), operator: z.string() }),
  subs: z.looseObject({ owner: z.string(), teammate: z.string() }),
});
export type DemoJson = z.infer<typeof demoJson>;

export interface Launched {
  demo: DemoJson;
  banner: string;
  /** Sends the signal and resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Kills it with SIGKILL and starts it again, at other addresses. */
  killAndStart(): Promise<void>;
}

/**
 * Starts one standalone for all tests of a file, in a separate home folder that is removed afterwards. The home is a
 * copy of one that a first start has seeded, unless `isFirstStart` is set.
 */
export function standaloneForTests({ isFirstStart = false } = {}): {
  readonly home: string;
  readonly demo: DemoJson;
  readonly banner: string;
  killAndStart(): Promise<void>;
} {
  let home = '';
  let running: Launched | undefined;
  beforeAll(async () => {
    home = await (isFirstStart ? newHome() : newSeededHome());
    // All visitors of a file have one address. Many tests wait for the files of their events.
    running = await launch(home, { RATE_LIMITS_MULTIPLIER: '100', ARCHIVE_FILE_SECONDS: '1' });
  });
  afterAll(async () => {
    await running?.end('SIGTERM');
    await rm(home, { recursive: true, force: true });
  });
  const started = () => {
    if (running === undefined)
      throw new Error('standalone is not started yet; it starts before the first test');
    return running;
  };
  return {
    get home() {
      return home;
    },
    get demo() {
      return started().demo;
    },
    get banner() {
      return started().banner;
    },
    killAndStart: () => started().killAndStart(),
  };
}

/** Creates an empty home. */
export const newHome = () => mkdtemp(join(tmpdir(), 'standalone-'));

/** Creates a home that a first start has seeded. A start on it takes a quarter of the CPU time of a first start. */
export async function newSeededHome(): Promise<string> {
  const home = await newHome();
  // Keeps the owner of PostgreSQL's files.
  await execa('cp', ['-a', `${await seededHome()}/.`, home]);
  return home;
}

/** Returns the home of a standalone that was started and stopped once in this test run. */
const seededHome = () =>
  oncePerRun('standalone', async (home) => {
    const first = await launch(home);
    await first.end('SIGTERM');
    // Tests kill processes but not the machine, so PostgreSQL need not wait for the disk.
    await appendFile(join(home, 'postgres/data/postgresql.conf'), 'fsync = off\nfull_page_writes = off\n');
  });

/** Starts standalone from the command line. Resolves once it is ready. Throws its output if it exits before that. */
export async function launch(home: string, env: Record<string, string> = {}): Promise<Launched> {
  const program = await start(home, { env, ready: /^curl .*distinct_id=ada/ });
  const readDemo = async () => demoJson.parse(JSON.parse(await readFile(join(home, 'demo.json'), 'utf8')));
  let demo = await readDemo();
  return {
    banner: program.lines.join('\n'),
    get demo() {
      return demo;
    },
    end: (signal) => program.kill(signal),
    async killAndStart() {
      await program.kill('SIGKILL');
      await program.restart();
      demo = await readDemo();
    },
  };
}

/** Returns the address of a database of a running standalone. */
export async function databaseUrl(home: string, database: string): Promise<string> {
  const password = (await readFile(join(home, 'postgres/password'), 'utf8')).trim();
  const port = (await readFile(join(home, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[3];
  return `postgres://switchboard:${password}@127.0.0.1:${port}/${database}`;
}

/** Runs a standalone that exits by itself. Resolves with its exit code and output. */
export async function launchAndExit(
  home: string,
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<{ code: number | null; output: string }> {
  const program = await start(home, { env, args });
  const code = await program.exited;
  return { code, output: program.lines.map((line) => `${line}\n`).join('') };
}

interface StartOptions {
  env: Record<string, string>;
  args?: readonly string[];
  ready?: RegExp;
}

async function start(home: string, { env, args = [], ready }: StartOptions): Promise<Program> {
  return spawnProgram({
    // Started as by `pnpm start`.
    command: [
      'node',
      '--max-semi-space-size=16',
      await programFile('deploy/standalone/src/main.ts'),
      ...args,
    ],
    env: { PORT: '0', SWITCHBOARD_HOME: home, ...env },
    ready,
    readyWithinMs: 300_000,
  });
}
