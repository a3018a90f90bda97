import type { Health, Metrics } from '@switchboard/runtime';
import type { Hono } from 'hono';

/** Mounts the health checks and the metrics of this instance. The gateway keeps them internal. */
export function healthRoutes(app: Hono, { health, metrics }: { health: Health; metrics: Metrics }): void {
  app.get('/health/live', (c) => c.json({ status: 'live' }));
  app.get('/health/serving', (c) =>
    c.json({ status: health.isServing() ? 'serving' : 'not serving' }, health.isServing() ? 200 : 503),
  );
  app.get('/health/ready', async (c) => {
    const problems = await health.problems();
    const ready = Object.keys(problems).length === 0;
    return c.json({ status: ready ? 'ready' : 'not ready', problems }, ready ? 200 : 503);
  });
  app.get('/metrics', async (c) =>
    c.text(await metrics.registry.metrics(), 200, { 'Content-Type': metrics.registry.contentType }),
  );
}
