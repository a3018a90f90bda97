import { headerOf, type RateLimit, type ServiceApp } from '@switchboard/http';
import type { Hub } from '@switchboard/realtime';
import type { ConfigurationChanges } from './configuration-changes.ts';
import type { Signals } from './signals.ts';
import { SOCKET_PATH, visitorSocket } from './socket.ts';
import type { Subscriptions } from './subscriptions.ts';

interface LiveDeps {
  hub: Pick<Hub, 'route'>;
  subscriptions: Pick<Subscriptions, 'subscribe'>;
  signals: Signals;
  limit: RateLimit;
  changes: Pick<ConfigurationChanges, 'follow'>;
}

export function liveRoutes(app: ServiceApp, { hub, changes, ...deps }: LiveDeps): void {
  const plan = visitorSocket({ ...deps, projectKey: app.projectKey, follow: changes.follow });
  const upgrade = hub.route(
    (c) => c.env.address,
    (c) =>
      plan({
        address: c.env.address,
        origin: headerOf(c, 'origin'),
        key: c.req.query('api_key'),
        locale: c.req.query('locale'),
        distinctId: c.req.query('distinct_id'),
      }),
  );
  app.hono.get(SOCKET_PATH, upgrade);
}
