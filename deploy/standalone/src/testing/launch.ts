import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';

/** For tests: standalone as a person starts it, a process of its own with a home folder. */

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
});
export type DemoJson = z.infer<typeof demoJson>;

export interface Launched {
  demo: DemoJson;
  banner: string;
  /** Sends the signal and waits for the end; the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** A standalone for all tests of a file: started before them in a home of its own, ended and removed after. */
export function standaloneForTests(): {
  readonly home: string;
  readonly demo: DemoJson;
  readonly banner: string;
} {
  let home = '';
  let running: Launched | undefined;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'standalone-'));
    running = await launch(home);
  }, 120_000);
  afterAll(async () => {
    await running?.end('SIGTERM');
    await rm(home, { recursive: true, force: true });
  }, 60_000);
  const started = () => {
    if (running === undefined) throw new Error('standalone is started before the first test, not earlier');
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
  };
}

const MAIN = join(import.meta.dirname, '../main.ts');

/** Runs standalone until it is ready. Throws with what it said when it ends before. */
export async function launch(home: string, env: Record<string, string> = {}): Promise<Launched> {
  const process = start(home, env);
  const output = collect(process);
  await new Promise<void>((resolve, reject) => {
    process.stdout?.on('data', () => output.text().includes('distinct_id=ada') && resolve());
    process.once('exit', (code) => reject(new Error(`ended with ${code}: ${output.text()}`)));
  });
  return {
    banner: output.text(),
    demo: demoJson.parse(JSON.parse(await readFile(join(home, 'demo.json'), 'utf8'))),
    end: (signal) => {
      process.kill(signal);
      return ended(process);
    },
  };
}

/** Runs standalone where it cannot start: its exit code and what it said. */
export async function launchInVain(
  home: string,
  env: Record<string, string> = {},
  args: readonly string[] = [],
) {
  const process = start(home, env, args);
  const output = collect(process);
  return { code: await ended(process), said: output.text() };
}

function start(home: string, env: Record<string, string>, args: readonly string[] = []): ChildProcess {
  return spawn('node', [MAIN, ...args], {
    env: { PATH: globalThis.process.env['PATH'], PORT: '0', SWITCHBOARD_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function collect(process: ChildProcess) {
  const chunks: string[] = [];
  process.stdout?.on('data', (chunk) => chunks.push(String(chunk)));
  process.stderr?.on('data', (chunk) => chunks.push(String(chunk)));
  return { text: () => chunks.join('') };
}

function ended(process: ChildProcess): Promise<number | null> {
  if (process.exitCode !== null || process.signalCode !== null) return Promise.resolve(process.exitCode);
  return new Promise((resolve) => process.once('exit', (code) => resolve(code)));
}
