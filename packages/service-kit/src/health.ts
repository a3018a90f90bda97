import type { Hono } from 'hono';
import { problemOf } from './dependencies.ts';
import type { KitEnv } from './env.ts';

export interface Health {
  /** Adds a dependency that must answer within a second for the service to be ready. */
  add(name: string, check: () => Promise<void>): void;
  /** From now on the service says it is not ready, so that no new traffic is sent to it. */
  drain(): void;
  /** The service has started: its tables are there and its replica is filled. */
  started(): void;
  isStarted(): boolean;
  /** Whether it has started and is not leaving, whatever its dependencies do. */
  isServing(): boolean;
  /** What is not ready; empty when everything is. */
  problems(): Promise<Record<string, string>>;
}

/**
 * `/health/live` answers while the process runs; `/health/ready` says whether it and its dependencies are well;
 * `/health/serving` says whether it takes requests. A load balancer asks the last: with a dependency away all
 * instances are equally unwell, and each tells its callers so better than a balancer without any would.
 */
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

export function mountHealth(hono: Hono<KitEnv>, health: Health): void {
  hono.get('/health/live', (c) => c.json({ status: 'live' }));
  hono.get('/health/serving', (c) => {
    const serving = health.isServing();
    return c.json({ status: serving ? 'serving' : 'not serving' }, serving ? 200 : 503);
  });
  hono.get('/health/ready', async (c) => {
    const problems = await health.problems();
    const ready = Object.keys(problems).length === 0;
    return c.json({ status: ready ? 'ready' : 'not ready', problems }, ready ? 200 : 503);
  });
}
