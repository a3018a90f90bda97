import { join } from 'node:path';
import { call, type Harness, NETWORK_FAULTS, type NetworkLink, type Program } from '@switchboard/testkit';

/** Something that fails for a while. */
export interface Target {
  /** Disruptions are counted by kind. */
  kind: string;
  name: string;
  /** Of the targets with the same value, one at most is disrupted at any time. */
  oneOf?: string;
  /** What can happen to it. Each has its turn before any has another. */
  disruptions: readonly Disruption[];
  /** Throws until it is ready. */
  check(): Promise<void>;
  /** Ends it for good. */
  stop(): Promise<void>;
}

export interface Disruption {
  /** Such as `killed` or `half-open`. */
  effect: string;
  /** How long it lasts: a random time up to `maxMs`, and at least `minMs` (default: 0). */
  maxMs: number;
  minMs?: number;
  /** Resolves when it is in effect. */
  begin(): Promise<void>;
  /** Ends it; resolves when that has been done, whether the target is ready or not. */
  end(): Promise<void>;
}

export interface ServiceTarget extends Target {
  port: number;
}

export const MAX_DOWN_MS = 1_500;
/** Longer than most time-outs of a request, shorter than the sessions of consumers. */
const MAX_NETWORK_MS = 6_000;

/** SIGKILL, and the start after it. */
export function killed(begin: () => Promise<void>, end: () => Promise<void>): Disruption {
  return { effect: 'killed', maxMs: MAX_DOWN_MS, begin, end };
}

/** Network faults between the services and a backing. */
export function networkTarget(name: string, link: NetworkLink, oneOf?: string): Target {
  return {
    kind: 'network',
    name: `network to ${name}`,
    ...(oneOf === undefined ? {} : { oneOf }),
    disruptions: NETWORK_FAULTS.map((fault) => ({
      effect: fault,
      maxMs: MAX_NETWORK_MS,
      begin: () => link.fail(fault),
      end: () => link.heal(),
    })),
    check: async () => undefined,
    stop: async () => undefined,
  };
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
    disruptions: [killed(kill, () => program.restart())],
    check: () => checkReady(name, program),
    stop: kill,
  };
}

async function checkReady(name: string, program: Program): Promise<void> {
  if (!program.isRunning) throw new Error(`${name} ended by itself with ${await program.exited}`);
  const { status, body } = await call('GET', `${program.url}/health/ready`);
  if (status !== 200) throw new Error(`${name} is not ready: ${JSON.stringify(body)}`);
}
