import { join } from 'node:path';
import type { ServiceName } from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { type Running, run } from './process.ts';
import { REPOSITORY } from './repository.ts';

export interface InstanceOptions {
  service: ServiceName;
  /** ROLES; all when absent. */
  roles?: string;
  port: number;
  env: Record<string, string>;
  /** Another folder of services to start from, such as the next version. */
  services?: string;
}

/** One instance of a service, as a process of its own. */
export interface Instance {
  name: string;
  service: ServiceName;
  url: string;
  output(): string;
  ready(): Promise<void>;
  /** SIGTERM; the exit code. */
  leave(): Promise<number | null>;
  /** Starts again, once it has left; with other options where some are given. */
  start(changed?: Partial<Pick<InstanceOptions, 'env' | 'services'>>): void;
}

const SERVICES = join(REPOSITORY, 'services');

export function startInstance(options: InstanceOptions): Instance {
  const { service, roles, port } = options;
  const url = `http://127.0.0.1:${port}`;
  let running = begin(options);

  async function isReady(): Promise<void> {
    const { status } = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2000) });
    if (status !== 200) throw new Error(`${service} is not ready: ${running.output().slice(-2000)}`);
  }

  return {
    name: `${service}${roles === undefined ? '' : ` ${roles}`} on ${port}`,
    service,
    url,
    output: () => running.output(),
    async ready() {
      const ended = running.ended.then((code) => {
        throw new Error(`${service} ended with ${code}: ${running.output().slice(-2000)}`);
      });
      await Promise.race([ended, eventually(isReady, { withinMs: 180_000 })]);
    },
    leave() {
      running.signal('SIGTERM');
      return running.ended;
    },
    start(changed = {}) {
      running = begin({ ...options, ...changed });
    },
  };
}

function begin({ service, roles, port, env, services = SERVICES }: InstanceOptions): Running {
  return run({
    command: process.execPath,
    args: ['--max-semi-space-size=16', join(services, service, 'src/main.ts')],
    env: {
      ...env,
      HOST: '127.0.0.1',
      PORT: String(port),
      ...(roles === undefined ? {} : { ROLES: roles }),
    },
  });
}
