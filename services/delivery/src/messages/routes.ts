import {
  getWebhookMessage,
  listWebhookMessages,
  replayWebhookMessages,
  testWebhook,
} from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Messages } from './messages.ts';

interface MessagesDeps {
  messages: Messages;
  ofProject: ProjectOfRegion;
}

export function messagesRoutes(app: ServiceApp, { messages, ofProject }: MessagesDeps): void {
  app.implement(
    listWebhookMessages,
    async (c) => {
      const { state, ...page } = c.req.valid('query');
      return c.json(await messages.list(c.req.valid('param'), state, page), 200);
    },
    ofProject,
  );

  app.implement(
    getWebhookMessage,
    async (c) => {
      const { messageId, ...key } = c.req.valid('param');
      return c.json(await messages.get(key, messageId), 200);
    },
    ofProject,
  );

  app.implement(
    testWebhook,
    async (c, { change }) => c.json({ id: await messages.test(change, c.req.valid('param')) }, 202),
    ofProject,
  );

  app.implement(
    replayWebhookMessages,
    async (c, { change }) => {
      const queued = await messages.replay(change, c.req.valid('param'), c.req.valid('json'));
      return c.json({ queued }, 202);
    },
    ofProject,
  );
}
