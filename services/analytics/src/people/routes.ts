import { getPerson } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { People } from './people.ts';

export function peopleRoutes(app: ServiceApp, { people }: { people: Pick<People, 'find'> }): void {
  app.implement(getPerson, async (c) => {
    const { projectId, distinctId } = c.req.valid('param');
    return c.json(await people.find(projectId, distinctId), 200);
  });
}
