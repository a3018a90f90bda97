import type { DirectoryLink } from '@switchboard/directory';
import type { EventLog } from '@switchboard/event-log';
import type { Metrics } from '@switchboard/runtime';
import { Hono } from 'hono';

interface LinkAppOptions {
  link: DirectoryLink;
  home: Pick<EventLog, 'ping'>;
  region: Pick<EventLog, 'ping'>;
  metrics: Metrics;
}

/** Creates the app for health and metrics, at the same paths as in services. */
export function createLinkApp({ link, home, region, metrics }: LinkAppOptions): Hono {
  metrics.gaugeBy(
    'switchboard_directory_link_behind',
    'Directory records of the home region that this region does not have yet.',
    [],
    async () => [{ labels: {}, value: Number(await link.behind()) }],
  );
  const app = new Hono();
  app.get('/health/live', (c) => c.json({ status: 'live' }));
  // The same as in services, because the chart's probes request it.
  app.get('/health/serving', (c) => {
    const isServing = link.isComplete();
    return c.json({ status: isServing ? 'serving' : 'not serving' }, isServing ? 200 : 503);
  });
  app.get('/health/ready', async (c) => {
    const problems: Record<string, string> = link.isComplete() ? {} : { link: 'copying' };
    await home.ping().catch(() => {
      problems['home'] = 'unavailable';
    });
    await region.ping().catch(() => {
      problems['region'] = 'unavailable';
    });
    const ready = Object.keys(problems).length === 0;
    return c.json({ status: ready ? 'ready' : 'not ready', problems }, ready ? 200 : 503);
  });
  app.get('/metrics', async (c) =>
    c.text(await metrics.registry.metrics(), 200, { 'Content-Type': metrics.registry.contentType }),
  );
  return app;
}
