import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@switchboard/testkit';

/** Something that is killed and started again. */
export interface Part {
  /** Kills are counted by kind. */
  kind: string;
  name: string;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again with what it left behind; resolves when it has been started, ready or not. */
  start(): Promise<void>;
  /** Throws while it does not take work. */
  check(): Promise<void>;
  /** SIGKILL for good. */
  stop(): Promise<void>;
}

export interface ServiceProcess extends Part {
  port: number;
}

interface ServiceOptions {
  kind: string;
  name: string;
  service: 'ingestion' | 'archive' | 'flags';
  env: Record<string, string>;
  /** Its output is appended to a file in this folder. */
  folder: string;
}

/** One process of a service, on one port for all its lives. */
export async function startServiceProcess(options: ServiceOptions): Promise<ServiceProcess> {
  const { kind, name, service, env, folder } = options;
  const port = await freePort();
  const script = join(import.meta.dirname, '../../services', service, 'src/main.ts');
  const output = openSync(join(folder, `${name}.log`), 'a');
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    child = spawn(process.execPath, [script], {
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env, PORT: String(port) },
      stdio: ['ignore', output, output],
    });
    await once(child, 'spawn');
  }

  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const left = once(child, 'exit');
    child.kill('SIGKILL');
    await left;
  }

  process.once('exit', () => child?.kill('SIGKILL'));
  await start();
  return {
    kind,
    name,
    port,
    kill,
    start,
    async check() {
      if (child?.exitCode !== null) throw new Error(`${name} left by itself with ${child?.exitCode}`);
      const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, {
        signal: AbortSignal.timeout(2_000),
      });
      if (answer.status !== 200) throw new Error(`${name} is not ready: ${await answer.text()}`);
    },
    stop: kill,
  };
}
