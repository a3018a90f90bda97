import { type CreateRateLimit, runOnce } from '@switchboard/http';
import { createEncryption } from '@switchboard/runtime';
import type { Annotations } from '../annotations/annotations.ts';
import type { Collaboration } from '../config.ts';
import type { Dashboards } from '../dashboards/dashboards.ts';
import { dashboardsAsSubject } from '../dashboards/link-subject.ts';
import { createPage } from '../page/page.ts';
import { pageRoutes } from '../page/routes.ts';
import type { Renderer } from '../page/thread/renderer.ts';
import { createPublicLinks } from '../public-links/public-links.ts';
import { publicLinksRoutes } from '../public-links/routes.ts';
import { createPublicLinksStore } from '../public-links/store.ts';
import { type LinkSubject, reportsAsSubject } from '../public-links/subject.ts';
import type { Runs } from '../runs/runs.ts';
import { sharedLinksRoutes } from '../shared-links/routes.ts';
import { createSharedLinks } from '../shared-links/shared-links.ts';
import { createSharedLinksStore } from '../shared-links/store.ts';

interface PublicLinksNeeds {
  annotations: Annotations;
  dashboards: Dashboards;
  runs: Runs;
  renderer: Renderer;
  limit: CreateRateLimit;
}

/** Opens public links, the reports and dashboards that they share, and the page that shows them. */
export function openPublicLinks(
  service: Collaboration,
  { annotations, dashboards, runs, renderer, limit }: PublicLinksNeeds,
): void {
  const { app, config, database, db, logger, metrics, run } = service;
  const encryption = createEncryption({ secrets: config.LINK_SECRET, purpose: 'public link' });
  const linksOf = (subject: LinkSubject) => {
    const store = createPublicLinksStore(db, subject);
    const links = createPublicLinks({
      ...service,
      subject,
      store,
      encryption,
      baseUrl: config.PUBLIC_LINK_BASE_URL,
    });
    run(runOnce((signal) => links.reencrypt(logger, signal)));
    return links;
  };
  publicLinksRoutes(app, {
    reports: linksOf(reportsAsSubject(service.directory)),
    dashboards: linksOf(dashboardsAsSubject(db)),
    runs,
  });

  const sharedLinks = createSharedLinks({
    ...service,
    store: createSharedLinksStore(database.prepared),
    dashboards,
    limit: limit(
      { name: 'shared reports of an address', points: 30, durationSeconds: 60 },
      { name: 'reads of a link', points: 60, durationSeconds: 60 },
    ),
  });
  sharedLinksRoutes(app, { sharedLinks });
  const page = createPage({ sharedLinks, annotations, renderer });
  pageRoutes(app, { page });
  metrics.cache('report runs', sharedLinks.reads);
  metrics.cache('report pages', page.reads);
}
