import { getMe, listOwnProjects } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Memberships } from './memberships.ts';

export function membershipsRoutes(app: ServiceApp, { memberships }: { memberships: Memberships }): void {
  app.implement(getMe, async (c) => {
    const { sub, name = null } = c.var.person;
    return c.json({ sub, name, ...(await memberships.companies(sub, c.req.valid('query'))) }, 200);
  });
  app.implement(listOwnProjects, async (c) =>
    c.json(await memberships.projects(c.var.person.sub, c.req.valid('query')), 200),
  );
}
