import type { Hub } from '@switchboard/realtime';
import { type ServiceApp, socketAccess } from '@switchboard/service-kit';
import type { LiveChanges } from './live.ts';
import { SOCKET_PATH } from './sockets.ts';

interface LiveDeps {
  sockets: Hub;
  live: LiveChanges;
}

/** Messages from clients are ignored. */
export function liveRoutes(app: ServiceApp, { sockets, live }: LiveDeps): void {
  const route = sockets.route(
    (c) => c.env.address,
    async (c) => {
      const key = c.req.query('api_key');
      const access = await socketAccess(app.projectKey, key);
      if ('refuse' in access) return access;
      return {
        ...(key === undefined ? {} : { credential: key }),
        onOpen: (socket) => live.welcome(socket, access.project.id),
      };
    },
  );
  app.hono.get(SOCKET_PATH, route);
}
