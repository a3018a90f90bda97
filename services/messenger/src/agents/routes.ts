import { getInboxPreferences, putInboxPreferences } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Preferences } from './preferences.ts';

interface AgentsDeps {
  preferences: Preferences;
  ofProject: ProjectOfRegion;
}

export function agentsRoutes(app: ServiceApp, { preferences, ofProject }: AgentsDeps): void {
  app.implement(
    getInboxPreferences,
    async (c) => {
      const { projectId } = c.req.valid('param');
      return c.json(await preferences.read({ projectId, sub: c.var.person.sub }), 200);
    },
    ofProject,
  );

  app.implement(
    putInboxPreferences,
    async (c, { change }) => {
      const { projectId } = c.req.valid('param');
      const agent = { projectId, sub: c.var.person.sub };
      return c.json(await preferences.replace(change, agent, c.req.valid('json')), 200);
    },
    ofProject,
  );
}
