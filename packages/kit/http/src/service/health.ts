import type { Problems } from '@switchboard/runtime';
import type { Hono } from 'hono';
import type { KitEnv } from '../exchange/env.ts';

/** The subject of health checks: one process, or several workers together. */
interface Checked {
  isServing(): boolean | Promise<boolean>;
  problems(): Promise<Problems>;
}

/**
 * Serves the health checks. `/health/live` answers while the process runs, `/health/ready` reports the service and
 * its dependencies, and `/health/serving` reports whether it accepts requests. Load balancers use the last one: if a
 * dependency is down, every instance reports not ready, and an instance's error tells the caller more than a
 * balancer's.
 */
export function mountHealth(hono: Hono<KitEnv>, health: Checked): void {
  hono.get('/health/live', (c) => c.json({ status: 'live' }));
  hono.get('/health/serving', async (c) => {
    const serving = await health.isServing();
    return c.json({ status: serving ? 'serving' : 'not serving' }, serving ? 200 : 503);
  });
  hono.get('/health/ready', async (c) => {
    const problems = await health.problems();
    const ready = Object.keys(problems).length === 0;
    return c.json({ status: ready ? 'ready' : 'not ready', problems }, ready ? 200 : 503);
  });
}
