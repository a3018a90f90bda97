import { problemOf } from '../telemetry/dependencies.ts';

/** The reasons why a service is not ready, by dependency. */
export type Problems = Record<string, string>;

export interface Health {
  /** Adds a dependency. The service is ready only if it answers within a second. */
  add(name: string, check: () => Promise<void>): void;
  /** Reports not ready from now on, so that load balancers stop sending traffic. */
  drain(): void;
  /** Reports the service as started: its tables are migrated and its replica is filled. */
  started(): void;
  isStarted(): boolean;
  /** Whether it has started and is not shutting down, regardless of its dependencies. */
  isServing(): boolean;
  /** Returns the problems; empty if everything is ready. */
  problems(): Promise<Problems>;
}

/** Creates the health state of a process, which is neither started nor draining. */
export function createHealth(): Health {
  const checks = new Map<string, () => Promise<void>>();
  let state: 'starting' | 'started' | 'draining' = 'starting';

  async function run(name: string, check: () => Promise<void>): Promise<[string, string] | undefined> {
    const problem = await problemOf(check);
    return problem === undefined ? undefined : [name, problem];
  }

  return {
    add: (name, check) => void checks.set(name, check),
    drain() {
      state = 'draining';
    },
    started() {
      if (state === 'starting') state = 'started';
    },
    isStarted: () => state !== 'starting',
    isServing: () => state === 'started',
    async problems() {
      if (state === 'draining') return { service: 'draining' };
      const found = await Promise.all([...checks].map(([name, check]) => run(name, check)));
      const starting = state === 'starting' ? { service: 'starting' } : {};
      return { ...starting, ...Object.fromEntries(found.filter((problem) => problem !== undefined)) };
    },
  };
}
