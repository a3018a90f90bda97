import { deleteFlag, getFlag, listFlags, putFlag } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/service-kit';
import type { Flags } from './flags.ts';

interface FlagsDeps {
  flags: Flags;
  ofProject: ProjectOfRegion;
}

export function flagsRoutes(app: ServiceApp, { flags, ofProject }: FlagsDeps): void {
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
}
