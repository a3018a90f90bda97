import { computeCohort, countPeople } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Respond } from '../results/respond.ts';
import type { CohortLists } from './cohort-lists.ts';
import type { CountPeople } from './count.ts';

interface CohortListsDeps {
  cohortLists: Pick<CohortLists, 'request'>;
  count: CountPeople;
  respond: Respond;
  ofProject: ProjectOfRegion;
}

export function cohortListsRoutes(
  app: ServiceApp,
  { cohortLists, count, respond, ofProject }: CohortListsDeps,
): void {
  app.implement(countPeople, async (c) => {
    const { projectId } = c.req.valid('param');
    return respond(c, count(projectId, c.req.valid('json')));
  });
  app.implement(
    computeCohort,
    async (c, { change }) => {
      const { projectId, cohortId: id } = c.req.valid('param');
      await cohortLists.request(change, { projectId, id });
      return c.body(null, 202);
    },
    ofProject,
  );
}
