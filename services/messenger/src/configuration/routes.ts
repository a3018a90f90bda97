import type { MessengerConfiguration } from '@switchboard/contracts';
import { getMessengerConfig, getMessengerSettings, putMessengerSettings } from '@switchboard/contracts';
import { answerPrepared, type ProjectOfRegion, type ServiceApp } from '@switchboard/http';
import type { Context, TypedResponse } from 'hono';
import type { Answer, Configurations } from './configuration.ts';

interface ConfigurationDeps {
  configurations: Configurations;
  ofProject: ProjectOfRegion;
}

export function configurationRoutes(app: ServiceApp, { configurations, ofProject }: ConfigurationDeps): void {
  app.implement(getMessengerConfig, async (c) => {
    const { id, companyId } = c.get('project');
    return answer(c, await configurations.answer(id, companyId, c.req.valid('query').locale));
  });

  app.implement(
    getMessengerSettings,
    async (c) => c.json(await configurations.find(c.req.valid('param').projectId), 200),
    ofProject,
  );

  app.implement(
    putMessengerSettings,
    async (c, { change }) => {
      const { projectId } = c.req.valid('param');
      return c.json(await configurations.put(change, projectId, c.req.valid('json')), 200);
    },
    ofProject,
  );
}

/** The overload declares the type of the JSON, which is already serialised. A test compares it with the contract. */
function answer(c: Context, prepared: Answer): Response & TypedResponse<MessengerConfiguration, 200, 'json'>;
function answer(c: Context, prepared: Answer): Response {
  return answerPrepared(c, prepared, { 'Cache-Control': 'private, no-cache' });
}
