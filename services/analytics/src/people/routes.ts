import { getPerson } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import { respond } from '../insights/respond.ts';
import type { People } from './people.ts';

export function peopleRoutes(app: ServiceApp, { people }: { people: Pick<People, 'find'> }): void {
  app.implement(getPerson, async (c) => {
    const { projectId, distinctId } = c.req.valid('param');
    return respond(c, await people.find(projectId, distinctId, c.req.valid('query')));
  });
}
