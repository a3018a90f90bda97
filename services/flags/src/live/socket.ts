import { createHub, type Hub, openFanOut } from '@switchboard/realtime';
import { refusalOfKey, type ServiceApp, type ServiceContext, socketAccess } from '@switchboard/service-kit';
import type { FlagsConfig } from '../config.ts';
import type { LiveChanges } from './changes.ts';

export const SOCKET_PATH = '/v1/flags/socket';

/** The sockets of this instance. Changes reach every instance through the database, so they need no fan-out. */
export function openSockets(app: ServiceApp, { config, logger, metrics }: ServiceContext<FlagsConfig>): Hub {
  const hub = createHub({
    fanOut: openFanOut({ channel: 'switchboard:flags' }),
    maxSockets: config.SOCKETS_MAX,
    maxPerAddress: config.SOCKETS_PER_ADDRESS,
    refusalOf: (key) => refusalOfKey(app.projectKey, key),
    onError: (error) => logger.warn({ error }, 'a socket failed'),
  });
  metrics.gauge('switchboard_sockets', 'Sockets that are open.', hub.count);
  return hub;
}

/** Whatever a client says may mean something one day, and means nothing yet. */
export function socketRoute(app: ServiceApp, hub: Hub, changes: LiveChanges): void {
  const route = hub.route(
    (c) => c.get('address'),
    async (c) => {
      const key = c.req.query('api_key');
      const access = await socketAccess(app.projectKey, key);
      if ('refuse' in access) return access;
      return {
        ...(key === undefined ? {} : { credential: key }),
        onOpen: (socket) => changes.welcome(socket, access.project.id),
      };
    },
  );
  app.hono.get(SOCKET_PATH, route);
}
