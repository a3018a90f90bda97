import { headerOf, type ServiceApp, socketAccess } from '@switchboard/http';
import type { Hub } from '@switchboard/realtime';
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
      const asked = { key: c.req.query('api_key'), origin: headerOf(c, 'origin') };
      const access = await socketAccess(app.projectKey, asked);
      if ('refuse' in access) return access;
      return {
        credential: access.credential,
        onOpen: (socket) => live.welcome(socket, access.project.id),
      };
    },
  );
  app.hono.get(SOCKET_PATH, route);
}
