import { join } from 'node:path';
import { call, type Harness, type Program } from '@switchboard/testkit';

/** Something that is killed and started again. */
export interface Target {
  /** Kills are counted by kind. */
  kind: string;
  name: string;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again with its data; resolves when it has been started, ready or not. */
  start(): Promise<void>;
  /** Throws until it is ready. */
  check(): Promise<void>;
  /** SIGKILL for good. */
  stop(): Promise<void>;
}

export interface ServiceTarget extends Target {
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

/** Starts a process of a service, which keeps its port when it is started again. */
export async function startServiceTarget(rig: Harness, options: ServiceOptions): Promise<ServiceTarget> {
  const { kind, name, service, env, folder } = options;
  const output = { file: join(folder, `${name}.log`) };
  const program = await rig.spawn(service, { env, output, ready: false });
  const kill = async () => void (await program.kill());
  return {
    kind,
    name,
    port: program.port,
    kill,
    start: () => program.restart(),
    check: () => checkReady(name, program),
    stop: kill,
  };
}

async function checkReady(name: string, program: Program): Promise<void> {
  if (!program.isRunning) throw new Error(`${name} ended by itself with ${await program.exited}`);
  const { status, body } = await call('GET', `${program.url}/health/ready`);
  if (status !== 200) throw new Error(`${name} is not ready: ${JSON.stringify(body)}`);
}
