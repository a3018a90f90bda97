import type { MessengerConfiguration } from '@switchboard/contracts';
import { getMessengerConfig, getMessengerSettings, putMessengerSettings } from '@switchboard/contracts';
import { answerPrepared, type ProjectOfRegion, type ServiceApp } from '@switchboard/http';
import type { Context, TypedResponse } from 'hono';
import { type Answer, type Configurations, versionOf } from './configuration.ts';

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
    async (c) => {
      const settings = await configurations.find(c.req.valid('param').projectId);
      return c.json(settings, 200, { ETag: versionOf(settings) });
    },
    ofProject,
  );

  app.implement(
    putMessengerSettings,
    async (c, { change }) => {
      const { projectId } = c.req.valid('param');
      const { 'If-Match': ifMatch } = c.req.valid('header');
      const settings = await configurations.put(change, projectId, c.req.valid('json'), ifMatch);
      return c.json(settings, 200, { ETag: versionOf(settings) });
    },
    ofProject,
  );
}

/** The overload declares the type of the JSON, which is already serialised. A test compares it with the contract. */
function answer(c: Context, prepared: Answer): Response & TypedResponse<MessengerConfiguration, 200, 'json'>;
function answer(c: Context, prepared: Answer): Response {
  return answerPrepared(c, prepared, { 'Cache-Control': 'private, no-cache' });
}
