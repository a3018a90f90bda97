import type { Hub } from '@switchboard/realtime';
import type { ServiceApp } from '@switchboard/service-kit';
import type { ConversationTokens } from '../conversations/tokens.ts';
import type { ConfigurationChanges } from './configuration-changes.ts';
import { SOCKET_PATH, visitorSocket } from './socket.ts';

interface LiveDeps {
  hub: Pick<Hub, 'route'>;
  tokens: Pick<ConversationTokens, 'isValid'>;
  changes: Pick<ConfigurationChanges, 'follow'>;
}

export function liveRoutes(app: ServiceApp, { hub, tokens, changes }: LiveDeps): void {
  const plan = visitorSocket({ projectKey: app.projectKey, tokens, follow: changes.follow });
  const upgrade = hub.route(
    (c) => c.var.address,
    (c) => plan({ key: c.req.query('api_key'), locale: c.req.query('locale') }),
  );
  app.hono.get(SOCKET_PATH, upgrade);
}
