import { deleteCohort, getCohort, listCohorts, putCohort } from '@switchboard/contracts';
import { clauseWarnings } from '@switchboard/flag-engine';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import { withWarnings } from '../rulesets/warnings.ts';
import type { Cohorts } from './cohorts.ts';

interface CohortsDeps {
  cohorts: Cohorts;
  ofProject: ProjectOfRegion;
}

export function cohortsRoutes(app: ServiceApp, { cohorts, ofProject }: CohortsDeps): void {
  app.implement(
    listCohorts,
    async (c) => c.json({ cohorts: await cohorts.list(c.req.valid('param').projectId) }, 200),
    ofProject,
  );

  app.implement(
    getCohort,
    async (c) => {
      const { projectId, cohortId } = c.req.valid('param');
      return c.json(await cohorts.get(projectId, cohortId), 200);
    },
    ofProject,
  );

  app.implement(
    putCohort,
    async (c, { change }) => {
      const { projectId, cohortId } = c.req.valid('param');
      const cohort = await cohorts.put(change, projectId, cohortId, c.req.valid('json'));
      return c.json(withWarnings(cohort, clauseWarnings(cohort.match ?? [], 'match')), 200);
    },
    ofProject,
  );

  app.implement(
    deleteCohort,
    async (c, { change }) => {
      const { projectId, cohortId } = c.req.valid('param');
      await cohorts.remove(change, projectId, cohortId);
      return c.body(null, 204);
    },
    ofProject,
  );
}
