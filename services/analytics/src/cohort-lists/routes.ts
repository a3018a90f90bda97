import { computeCohort } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { CohortLists } from './cohort-lists.ts';

interface CohortListsDeps {
  cohortLists: Pick<CohortLists, 'request'>;
  ofProject: ProjectOfRegion;
}

export function cohortListsRoutes(app: ServiceApp, { cohortLists, ofProject }: CohortListsDeps): void {
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
