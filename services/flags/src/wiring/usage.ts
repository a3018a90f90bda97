import { shareOfHeap } from '@switchboard/engine';
import { openQuotas, projectOfRegion } from '@switchboard/http';
import type { FlagsService } from '../config.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';
import { createFlush } from '../usage/flush.ts';
import { usageRoutes } from '../usage/routes.ts';
import { createUsageStore } from '../usage/store.ts';
import { createTallies, type Tallies } from '../usage/tallies.ts';
import { createUsage } from '../usage/usage.ts';

/** Bytes of reports per second. A report of 20 flags counts about 7,000, one of 1,000 flags about 330,000. */
const BYTES_PER_SECOND = { address: 150_000, project: 5_000_000 };

/** The maximum memory of counts, and of counts that wait for the database. One of 100 flags takes about 5 kB. */
const MAX_BYTES = shareOfHeap(0.1, 64 * 1024 * 1024);

/** Opens the counting of evaluations. Each instance counts alone and adds its counts to those in the database. */
export function openUsage(service: FlagsService, rulesets: Rulesets): Tallies {
  const { add, app, database, directory, region } = service;
  const store = createUsageStore(database.drizzle);
  const lost = service.metrics.counter(
    'switchboard_flag_usage_lost_total',
    'Evaluations of flags that were not counted because the database was unavailable or memory was full.',
  );
  const bounds = { maxBytes: MAX_BYTES, onLost: lost.add };
  const tallies = createTallies(bounds);
  add(createFlush({ ...service, ...bounds, tallies, store }));
  const quotas = openQuotas({ ...service, redis: undefined, bytesPerSecond: BYTES_PER_SECOND });
  add(quotas, { stop: quotas.close });
  usageRoutes(app, {
    usage: createUsage({ ...service, rulesets, tallies, store }),
    quota: quotas.quota('flag usage'),
    ofProject: projectOfRegion(directory, region),
  });
  return tallies;
}
