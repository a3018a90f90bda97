import {
  cancelMessage,
  listMessages,
  listSentMessages,
  markMessageRead,
  sendMessage,
} from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Inbox } from './inbox.ts';

interface InboxDeps {
  inbox: Inbox;
  ofProject: ProjectOfRegion;
}

export function inboxRoutes(app: ServiceApp, { inbox, ofProject }: InboxDeps): void {
  app.implement(listMessages, async (c) => {
    const messages = await inbox.list(c.var.project.id, c.env.address, c.req.valid('query').distinct_id);
    return c.json({ messages }, 200, { 'Cache-Control': 'no-store' });
  });

  app.implement(markMessageRead, async (c) =>
    c.json({ ok: await inbox.markRead(c.var.project.id, c.env.address, c.req.valid('json')) }, 200),
  );

  app.implement(
    listSentMessages,
    async (c) => {
      const { projectId } = c.req.valid('param');
      return c.json(await inbox.sent(projectId, c.req.valid('query')), 200);
    },
    ofProject,
  );

  app.implement(
    cancelMessage,
    async (c, { change }) => {
      const { projectId, id } = c.req.valid('param');
      await inbox.cancel(change, projectId, id);
      return c.body(null, 204);
    },
    ofProject,
  );

  app.implement(
    sendMessage,
    async (c, { change }) => {
      const { projectId } = c.req.valid('param');
      const { 'Idempotency-Key': key } = c.req.valid('header');
      return c.json({ id: await inbox.send(change, projectId, c.req.valid('json'), key) }, 201);
    },
    ofProject,
  );
}
