import { join } from 'node:path';
import { call, type Harness, NETWORK_FAULTS, type NetworkLink, type Program } from '@switchboard/testkit';

/** A component that can be disrupted. */
export interface Target {
  /** The kind by which disruptions are counted. */
  kind: string;
  name: string;
  /** At most one of the targets with the same value is disrupted at any time. */
  oneOf?: string;
  /** The possible disruptions. None repeats before all others had a turn. */
  disruptions: readonly Disruption[];
  /** Throws while the target is not ready. */
  check(): Promise<void>;
  /** Stops the target permanently. */
  stop(): Promise<void>;
}

export interface Disruption {
  /** The effect, such as `killed` or `half-open`. */
  effect: string;
  /** The duration is random, between `minMs` (default: 0) and `maxMs`. */
  maxMs: number;
  minMs?: number;
  /** Begins the disruption. Resolves when it is in effect. */
  begin(): Promise<void>;
  /** Ends the disruption. Resolves when that is done, even if the target is not ready yet. */
  end(): Promise<void>;
}

export interface ServiceTarget extends Target {
  port: number;
}

export const MAX_DOWN_MS = 1_500;
/** Longer than most request timeouts, and shorter than the sessions of consumers. */
const MAX_NETWORK_MS = 6_000;

/** Returns a disruption that sends SIGKILL and then restarts the target. */
export function killed(begin: () => Promise<void>, end: () => Promise<void>): Disruption {
  return { effect: 'killed', maxMs: MAX_DOWN_MS, begin, end };
}

/** Returns a target for network faults between the services and a backing. */
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
  service: 'ingestion' | 'archive' | 'flags' | 'delivery';
  env: Record<string, string>;
  /** The folder with the file that the process's output is appended to. */
  folder: string;
}

/** Starts a process of a service. The process keeps its port across restarts. */
export async function startServiceTarget(harness: Harness, options: ServiceOptions): Promise<ServiceTarget> {
  const { kind, name, service, env, folder } = options;
  const output = { file: join(folder, `${name}.log`) };
  const program = await harness.spawn(service, { env, output, ready: false });
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
