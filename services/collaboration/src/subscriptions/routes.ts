import {
  deleteSubscription,
  getSubscription,
  listSubscriptions,
  putSubscription,
  sendSubscription,
} from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Subscriptions } from './subscriptions.ts';

interface SubscriptionsDeps {
  subscriptions: Subscriptions;
  ofProject: ProjectOfRegion;
}

const keyOf = ({ projectId, subscriptionId: id }: { projectId: string; subscriptionId: string }) => ({
  projectId,
  id,
});

export function subscriptionsRoutes(app: ServiceApp, { subscriptions, ofProject }: SubscriptionsDeps): void {
  app.implement(
    listSubscriptions,
    async (c) => c.json({ subscriptions: await subscriptions.list(c.req.valid('param').projectId) }, 200),
    ofProject,
  );

  app.implement(
    getSubscription,
    async (c) => c.json(await subscriptions.get(keyOf(c.req.valid('param'))), 200),
    ofProject,
  );

  app.implement(
    putSubscription,
    async (c, { change }) => {
      const key = keyOf(c.req.valid('param'));
      return c.json(await subscriptions.put(change, key, c.req.valid('json'), c.var.person.sub), 200);
    },
    ofProject,
  );

  app.implement(
    deleteSubscription,
    async (c, { change }) => {
      await subscriptions.remove(change, keyOf(c.req.valid('param')));
      return c.body(null, 204);
    },
    ofProject,
  );

  app.implement(
    sendSubscription,
    async (c, { change }) => {
      await subscriptions.send(change, keyOf(c.req.valid('param')));
      return c.body(null, 202);
    },
    ofProject,
  );
}
