import type { Catalogue } from '../config.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { throttlesRoutes } from '../throttles/routes.ts';
import { createThrottles } from '../throttles/throttles.ts';

/** Opens the limits that operators set for projects. */
export function openThrottles({ app, db, metrics }: Catalogue, outbox: Outbox): void {
  const throttles = createThrottles({ db, outbox });
  throttlesRoutes(app, { throttles });
  metrics.gaugeBy('switchboard_projects_throttled', 'Throttled projects.', [], async () => [
    { labels: {}, value: await throttles.count() },
  ]);
}
