import { addPushSubscription, listPushSubscriptions, removePushSubscription } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Subscriptions } from './subscriptions.ts';

interface PushesDeps {
  subscriptions: Subscriptions;
  ofProject: ProjectOfRegion;
}

export function pushesRoutes(app: ServiceApp, { subscriptions, ofProject }: PushesDeps): void {
  app.implement(
    listPushSubscriptions,
    async (c) => {
      const { projectId } = c.req.valid('param');
      return c.json(await subscriptions.list({ projectId, sub: c.var.person.sub }), 200);
    },
    ofProject,
  );

  app.implement(
    addPushSubscription,
    async (c, { change }) => {
      const { projectId } = c.req.valid('param');
      const { endpoint, keys } = c.req.valid('json');
      const agent = { projectId, sub: c.var.person.sub };
      return c.json(await subscriptions.add(change, agent, { endpoint, keys }), 201);
    },
    ofProject,
  );

  app.implement(
    removePushSubscription,
    async (c, { change }) => {
      const { projectId, subscriptionId } = c.req.valid('param');
      await subscriptions.remove(change, { projectId, sub: c.var.person.sub }, subscriptionId);
      return c.body(null, 204);
    },
    ofProject,
  );
}
