import {
  getHelpCentre,
  getManagedArticleSearch,
  putArticleSearch,
  putManagedArticleSearch,
  refreshHelpCentre,
} from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { HelpCentre } from './help-centre.ts';

interface HelpCentreDeps {
  helpCentre: HelpCentre;
  ofProject: ProjectOfRegion;
}

export function helpCentreRoutes(app: ServiceApp, { helpCentre, ofProject }: HelpCentreDeps): void {
  app.implement(getHelpCentre, async (c) => c.json(await helpCentre.read(c.var.project.id), 200));
  app.implement(refreshHelpCentre, async (c, { change }) =>
    c.json(await helpCentre.refresh(change, c.var.project), 200),
  );
  app.implement(putArticleSearch, async (c, { change }) =>
    c.json(await helpCentre.putSearch(change, c.var.project, c.req.valid('json')), 200),
  );
  app.implement(
    getManagedArticleSearch,
    async (c, { access }) => c.json(await helpCentre.readSearch(access.id), 200),
    ofProject,
  );
  app.implement(
    putManagedArticleSearch,
    async (c, { change, access }) =>
      c.json(await helpCentre.putSearch(change, access, c.req.valid('json')), 200),
    ofProject,
  );
}
