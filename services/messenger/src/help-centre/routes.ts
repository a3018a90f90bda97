import { getHelpCentre, putArticleSearch, refreshHelpCentre } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { HelpCentre } from './help-centre.ts';

interface HelpCentreDeps {
  helpCentre: HelpCentre;
}

export function helpCentreRoutes(app: ServiceApp, { helpCentre }: HelpCentreDeps): void {
  app.implement(getHelpCentre, async (c) => c.json(await helpCentre.read(c.var.project.id), 200));
  app.implement(refreshHelpCentre, async (c, { change }) =>
    c.json(await helpCentre.refresh(change, c.var.project), 200),
  );
  app.implement(putArticleSearch, async (c, { change }) =>
    c.json(await helpCentre.putSearch(change, c.var.project, c.req.valid('json')), 200),
  );
}
