import { joinPeople, listJoins, partPeople } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Joins } from './joins.ts';

interface JoinsDeps {
  joins: Joins;
  ofProject: ProjectOfRegion;
}

export function joinsRoutes(app: ServiceApp, { joins, ofProject }: JoinsDeps): void {
  app.implement(
    listJoins,
    async (c) => {
      const { projectId, distinctId } = c.req.valid('param');
      return c.json(await joins.list(projectId, distinctId), 200);
    },
    ofProject,
  );

  app.implement(
    joinPeople,
    async (c, { change }) => {
      const { projectId, distinctId } = c.req.valid('param');
      const { distinctId: joinedId } = c.req.valid('json');
      const request = { projectId, distinctId, joinedId, sub: c.var.person.sub };
      return c.json(await joins.join(change, request), 200);
    },
    ofProject,
  );

  app.implement(
    partPeople,
    async (c, { change }) => {
      const request = { ...c.req.valid('param'), sub: c.var.person.sub };
      return c.json(await joins.part(change, request), 200);
    },
    ofProject,
  );
}
