import type { ServiceName } from '@switchboard/contracts';
import { SEMI_SPACE_FLAG } from '@switchboard/engine';
import { serviceCommand, spawnService } from '@switchboard/testkit';

export interface InstanceOptions {
  service: ServiceName;
  /** The value of ROLES. Default: all roles. */
  roles?: string;
  port: number;
  env: Record<string, string>;
}

/** One instance of a service, in its own process. */
export interface Instance {
  name: string;
  service: ServiceName;
  url: string;
  /** The lines of its log since its last start. */
  readonly lines: readonly string[];
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  /** Restarts it, optionally from another folder of services. Resolves when it is ready. */
  restart(changed?: { folder?: string }): Promise<void>;
}

/** Keeps processes small, because many share the machine. */
const FLAGS = [SEMI_SPACE_FLAG];
const READY_WITHIN_MS = 180_000;

/** Starts an instance and resolves when it is ready. */
export async function startInstance({ service, roles, port, env }: InstanceOptions): Promise<Instance> {
  const program = await spawnService(service, {
    port,
    env: { ...env, ROLES: roles },
    flags: FLAGS,
    readyWithinMs: READY_WITHIN_MS,
  });
  return {
    name: `${service}${roles === undefined ? '' : ` ${roles}`} on ${port}`,
    service,
    url: program.url,
    get lines() {
      return program.lines;
    },
    stop: () => program.stop(),
    restart: async (changed = {}) =>
      program.restart({ command: await serviceCommand(service, { flags: FLAGS, ...changed }) }),
  };
}
