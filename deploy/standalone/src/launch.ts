import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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

const MAIN = join(import.meta.dirname, 'main.ts');

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
export async function launchInVain(home: string, env: Record<string, string> = {}) {
  const process = start(home, env);
  const output = collect(process);
  return { code: await ended(process), said: output.text() };
}

function start(home: string, env: Record<string, string>): ChildProcess {
  return spawn('node', [MAIN], {
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
