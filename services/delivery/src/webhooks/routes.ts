import {
  deleteWebhook,
  getWebhook,
  listWebhooks,
  putWebhook,
  rotateWebhookSecret,
} from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Webhooks } from './webhooks.ts';

interface WebhooksDeps {
  webhooks: Webhooks;
  ofProject: ProjectOfRegion;
}

export function webhooksRoutes(app: ServiceApp, { webhooks, ofProject }: WebhooksDeps): void {
  app.implement(
    listWebhooks,
    async (c) => c.json({ webhooks: await webhooks.list(c.req.valid('param').projectId) }, 200),
    ofProject,
  );

  app.implement(
    getWebhook,
    async (c) => {
      const { projectId, webhookId } = c.req.valid('param');
      return c.json(await webhooks.get(projectId, webhookId), 200);
    },
    ofProject,
  );

  app.implement(
    putWebhook,
    async (c, { change }) => {
      const { projectId, webhookId } = c.req.valid('param');
      return c.json(await webhooks.put(change, projectId, webhookId, c.req.valid('json')), 200);
    },
    ofProject,
  );

  app.implement(
    deleteWebhook,
    async (c, { change }) => {
      const { projectId, webhookId } = c.req.valid('param');
      await webhooks.remove(change, projectId, webhookId);
      return c.body(null, 204);
    },
    ofProject,
  );

  app.implement(
    rotateWebhookSecret,
    async (c, { change }) => {
      const { projectId, webhookId } = c.req.valid('param');
      return c.json(await webhooks.rotate(change, projectId, webhookId), 200);
    },
    ofProject,
  );
}
