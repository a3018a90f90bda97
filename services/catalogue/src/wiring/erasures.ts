import { createPersonIds, createPersonIdsConsumer } from '@switchboard/person-ids';
import { createPolling } from '@switchboard/resilience';
import type { Catalogue } from '../config.ts';
import { createErasureRequests } from '../erasure-requests/erasure-requests.ts';
import { erasureRequestsRoutes } from '../erasure-requests/routes.ts';
import type { Beginnings } from '../erasures/beginnings.ts';
import { createErasures } from '../erasures/erasures.ts';
import { createErasureReports } from '../erasures/reports.ts';
import { erasuresRoutes } from '../erasures/routes.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { republish } from '../outbox/republication.ts';

const PUBLISH_OPEN_MS = 3_600_000;

/** Opens erasures: requests, their progress in each service, and the publication of those that are open. */
export function openErasures(
  service: Catalogue,
  { outbox, beginnings }: { outbox: Outbox; beginnings: Beginnings },
): void {
  const { app, audit, db, logger, metrics, run } = service;
  const erasures = createErasures({ db, outbox, audit });
  erasuresRoutes(app, { erasures });
  erasureRequestsRoutes(app, {
    requests: createErasureRequests({ outbox, beginnings, erasures, personIds: createPersonIds(db) }),
  });
  metrics.gaugeBy(
    'switchboard_erasure_oldest_seconds',
    'Age of the oldest unfinished erasure.',
    [],
    async () => [{ labels: {}, value: await erasures.oldestSeconds() }],
  );
  run(
    createPersonIdsConsumer({ ...service, group: 'catalogue.person-ids' }),
    createErasureReports({ ...service, erasures, republish: (entries) => republish(db, outbox, entries) }),
    createPolling(erasures.publishOpen, {
      everyMs: PUBLISH_OPEN_MS,
      onFailure: (error) => logger.failed('publish open erasures', error),
    }),
  );
}
