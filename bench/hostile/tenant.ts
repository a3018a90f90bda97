import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Person } from './people.ts';

/** The kinds of requests of the well-behaved tenant. */
export type Kind = 'events' | 'identify' | 'flags' | 'open' | 'turn' | 'thread' | 'sign in';

export interface Observed {
  kind: Kind;
  /** The status, or 0 for a request without a response. */
  status: number;
  ms: number;
}

export interface Urls {
  ingestion: string;
  flags: string;
  messenger: string;
  identity: string;
}

export interface TenantPlan {
  urls: Urls;
  people: readonly Person[];
  seconds: number;
}

export interface Observation {
  observed: Observed[];
  /** Whether the tenant's process has a higher priority than the services. */
  isAhead: boolean;
}

export interface Tenant {
  pid: number | undefined;
  /** Runs the tenant's traffic for some seconds. */
  behave(seconds: number): Promise<Observation>;
  stop(): void;
}

/**
 * Starts the tenant in a separate process. All observations share it, because a new process would be slow at first.
 */
export function startTenant({ urls, people }: Pick<TenantPlan, 'urls' | 'people'>): Tenant {
  const child = fork(join(import.meta.dirname, 'tenant-process.ts'), { serialization: 'advanced' });
  return {
    pid: child.pid,
    behave: (seconds) =>
      new Promise((resolve, reject) => {
        const ended = (code: number | null) => reject(new Error(`the tenant's process ended with ${code}`));
        child.once('exit', ended);
        child.once('message', (observation) => {
          child.off('exit', ended);
          resolve(observation as Observation);
        });
        const plan: TenantPlan = { urls, people, seconds };
        child.send(plan);
      }),
    stop: () => child.kill('SIGKILL'),
  };
}

export const isSuccess = ({ status }: Observed) => status >= 200 && status < 300;
