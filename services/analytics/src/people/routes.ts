import { getPerson } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Respond } from '../insights/respond.ts';
import type { People } from './people.ts';

interface PeopleRoutesOptions {
  people: Pick<People, 'find'>;
  respond: Respond;
}

export function peopleRoutes(app: ServiceApp, { people, respond }: PeopleRoutesOptions): void {
  app.implement(getPerson, async (c) => {
    const { projectId, distinctId } = c.req.valid('param');
    return respond(c, await people.find(projectId, distinctId, c.req.valid('query')));
  });
}
