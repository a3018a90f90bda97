import { type CreateRateLimit, runOnce } from '@switchboard/http';
import { createEncryption } from '@switchboard/runtime';
import type { Annotations } from '../annotations/annotations.ts';
import type { Collaboration } from '../config.ts';
import { createPage } from '../page/page.ts';
import { pageRoutes } from '../page/routes.ts';
import { createPublicLinks } from '../public-links/public-links.ts';
import { publicLinksRoutes } from '../public-links/routes.ts';
import { createPublicLinksStore } from '../public-links/store.ts';
import { sharedReportsRoutes } from '../shared-reports/routes.ts';
import { createSharedReports } from '../shared-reports/shared-reports.ts';
import { createSharedReportsStore } from '../shared-reports/store.ts';

/** Opens public links, the reports that they share, and the page that shows them. */
export function openPublicLinks(
  service: Collaboration,
  { annotations, limit }: { annotations: Annotations; limit: CreateRateLimit },
): void {
  const { add, app, config, database, db, logger, metrics, run } = service;
  const links = createPublicLinks({
    ...service,
    store: createPublicLinksStore(db),
    encryption: createEncryption({ secrets: config.LINK_SECRET, purpose: 'public link' }),
    baseUrl: config.PUBLIC_LINK_BASE_URL,
  });
  publicLinksRoutes(app, { links });
  run(runOnce((signal) => links.reencrypt(logger, signal)));

  const sharedReports = createSharedReports({
    ...service,
    store: createSharedReportsStore(database.prepared),
    limit: limit(
      { name: 'shared reports of an address', points: 30, durationSeconds: 60 },
      { name: 'reads of a link', points: 60, durationSeconds: 60 },
    ),
  });
  sharedReportsRoutes(app, { sharedReports });
  const page = add(createPage({ sharedReports, annotations }));
  pageRoutes(app, { page });
  metrics.cache('report runs', sharedReports.reads);
  metrics.cache('report pages', page.reads);
}
