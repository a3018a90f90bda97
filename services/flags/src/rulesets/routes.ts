import {
  deleteCohort,
  deleteFlag,
  getCohort,
  getFlag,
  listCohorts,
  listFlags,
  putCohort,
  putFlag,
} from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import { projectOfRegion, type ServiceApp } from '@switchboard/service-kit';
import type { Cohorts } from './cohorts.ts';
import type { Flags } from './flags.ts';

interface ManagementOptions {
  flags: Flags;
  cohorts: Cohorts;
  directory: Pick<Directory, 'project'>;
  region: string;
}

/** The management of flags and cohorts, for projects of this region. */
export function managementRoutes(
  app: ServiceApp,
  { flags, cohorts, directory, region }: ManagementOptions,
): void {
  const ofProject = projectOfRegion(directory, region);

  app.implement(
    listFlags,
    async (c) => c.json({ flags: await flags.list(c.req.valid('param').projectId) }, 200),
    ofProject,
  );

  app.implement(
    getFlag,
    async (c) => {
      const { projectId, key } = c.req.valid('param');
      return c.json(await flags.get(projectId, key), 200);
    },
    ofProject,
  );

  app.implement(
    putFlag,
    async (c) => {
      const { projectId, key } = c.req.valid('param');
      return c.json(await flags.put(projectId, key, c.req.valid('json')), 200);
    },
    ofProject,
  );

  app.implement(
    deleteFlag,
    async (c) => {
      const { projectId, key } = c.req.valid('param');
      await flags.remove(projectId, key);
      return c.body(null, 204);
    },
    ofProject,
  );

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
    async (c) => {
      const { projectId, cohortId } = c.req.valid('param');
      return c.json(await cohorts.put(projectId, cohortId, c.req.valid('json')), 200);
    },
    ofProject,
  );

  app.implement(
    deleteCohort,
    async (c) => {
      const { projectId, cohortId } = c.req.valid('param');
      await cohorts.remove(projectId, cohortId);
      return c.body(null, 204);
    },
    ofProject,
  );
}
