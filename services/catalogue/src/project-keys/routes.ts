import { createProjectKey, listProjectKeys, revokeProjectKey } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { ProjectKeys } from './project-keys.ts';

export function projectKeysRoutes(app: ServiceApp, { projectKeys }: { projectKeys: ProjectKeys }): void {
  app.implement(listProjectKeys, async (c) =>
    c.json({ keys: await projectKeys.list(c.req.valid('param').projectId) }, 200),
  );
  app.implement(createProjectKey, async (c) =>
    c.json({ key: await projectKeys.create(c.req.valid('param').projectId) }, 201),
  );
  app.implement(revokeProjectKey, async (c) => {
    const { projectId, key } = c.req.valid('param');
    await projectKeys.revoke(projectId, key);
    return c.body(null, 204);
  });
}
