import { getMe, listOwnProjects } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Own } from './own.ts';

export function ownRoutes(app: ServiceApp, { own }: { own: Own }): void {
  app.implement(getMe, async (c) => {
    const { sub, name = null } = c.var.person;
    return c.json({ sub, name, ...(await own.companies(sub, c.req.valid('query'))) }, 200);
  });
  app.implement(listOwnProjects, async (c) =>
    c.json(await own.projects(c.var.person.sub, c.req.valid('query')), 200),
  );
}
