import { createProjectKey, listProjectKeys, revokeProjectKey } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { WriteRate } from '../companies/write-rate.ts';
import type { ProjectKeys } from './project-keys.ts';

export function projectKeysRoutes(
  app: ServiceApp,
  { projectKeys, rate }: { projectKeys: ProjectKeys; rate: WriteRate },
): void {
  app.implement(listProjectKeys, async (c) =>
    c.json({ keys: await projectKeys.list(c.req.valid('param').projectId) }, 200),
  );
  app.implement(
    createProjectKey,
    async (c, { change }) =>
      c.json({ key: await projectKeys.create(change, c.req.valid('param').projectId) }, 201),
    rate,
  );
  app.implement(
    revokeProjectKey,
    async (c, { change }) => {
      const { projectId, key } = c.req.valid('param');
      await projectKeys.revoke(change, projectId, key);
      return c.body(null, 204);
    },
    rate,
  );
}
