import { createIdentitySecret, deleteIdentitySecret, listIdentitySecrets } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Identity } from './identity.ts';

interface IdentityDeps {
  identity: Identity;
  ofProject: ProjectOfRegion;
}

export function identityRoutes(app: ServiceApp, { identity, ofProject }: IdentityDeps): void {
  app.implement(
    listIdentitySecrets,
    async (c) => c.json({ secrets: await identity.list(c.req.valid('param').projectId) }, 200),
    ofProject,
  );

  app.implement(
    createIdentitySecret,
    async (c, { change }) => c.json(await identity.create(change, c.req.valid('param').projectId), 201),
    ofProject,
  );

  app.implement(
    deleteIdentitySecret,
    async (c, { change }) => {
      const { projectId, id } = c.req.valid('param');
      await identity.remove(change, projectId, id);
      return c.body(null, 204);
    },
    ofProject,
  );
}
