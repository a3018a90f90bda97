import { importConversations } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Imports } from './imports.ts';

interface ImportsRoutesOptions {
  imports: Imports;
  ofProject: ProjectOfRegion;
}

export function importsRoutes(app: ServiceApp, { imports, ofProject }: ImportsRoutesOptions): void {
  app.implement(
    importConversations,
    async (c, { change }) => {
      const { projectId } = c.req.valid('param');
      return c.json({ conversations: await imports.run(change, projectId, c.req.valid('json')) }, 200);
    },
    ofProject,
  );
}
