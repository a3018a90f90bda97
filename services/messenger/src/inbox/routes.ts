import { listMessages, markMessageRead, sendMessage } from '@switchboard/contracts';
import type { Clock, ProjectOfRegion, ServiceApp } from '@switchboard/service-kit';
import { newId } from '../ids.ts';
import type { InboxStore } from './store.ts';

interface InboxOptions {
  store: InboxStore;
  ofProject: ProjectOfRegion;
  clock: Clock;
}

export function routeInbox(app: ServiceApp, { store, ofProject, clock }: InboxOptions): void {
  app.implement(listMessages, async (c) => {
    const { distinct_id } = c.req.valid('query');
    const messages = await store.list(c.get('project').id, distinct_id);
    return c.json({ messages }, 200, { 'Cache-Control': 'no-store' });
  });

  app.implement(markMessageRead, async (c) => {
    const { message_id, distinct_id } = c.req.valid('json');
    return c.json({ ok: await store.markRead(c.get('project').id, distinct_id, message_id) }, 200);
  });

  app.implement(
    sendMessage,
    async (c) => {
      const { projectId } = c.req.valid('param');
      const { title, body, distinctIds } = c.req.valid('json');
      const id = newId('msg');
      await store.add({ id, projectId, title, body, distinctIds, createdAt: clock.now() });
      return c.json({ id }, 201);
    },
    ofProject,
  );
}
