import { listThreadInbox } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Inbox } from './inbox.ts';

export function inboxRoutes(app: ServiceApp, { inbox }: { inbox: Inbox }): void {
  app.implement(listThreadInbox, async (c) => c.json(await inbox.list(c.var), 200));
}
