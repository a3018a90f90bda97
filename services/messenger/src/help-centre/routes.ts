import { getHelpCentre, putArticleSearch, refreshHelpCentre } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { HelpCentres } from './help-centre.ts';

export function routeHelpCentre(app: ServiceApp, helpCentres: HelpCentres): void {
  app.implement(getHelpCentre, async (c) => c.json(await helpCentres.read(c.get('project').id), 200));
  app.implement(refreshHelpCentre, async (c) => c.json(await helpCentres.refresh(c.get('project')), 200));
  app.implement(putArticleSearch, async (c) =>
    c.json(await helpCentres.putSearch(c.get('project'), c.req.valid('json')), 200),
  );
}
