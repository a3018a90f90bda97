import { streamConversations, VISITOR_CONVERSATIONS } from '@switchboard/contracts';
import { refusalOfKey, refusalOfStream } from '@switchboard/http';
import { createHub, type Hub, openFanOut } from '@switchboard/realtime';
import type { Messenger } from '../config.ts';
import type { Configurations } from '../configuration/configuration.ts';
import type { ConversationTokens } from '../conversations/tokens/tokens.ts';
import { createConfigurationChanges } from '../live/configuration-changes.ts';
import { liveRoutes } from '../live/routes.ts';
import { createSignals } from '../live/signals.ts';
import { createSubscriptions } from '../live/subscriptions.ts';
import { createPublisher, type Publisher } from '../publishing/publisher.ts';
import { createSupportStore } from '../support/store.ts';
import type { Shared } from './shared.ts';

/** The topics of all sockets, of the project, of the person, and of conversations. */
const TOPICS_PER_SOCKET = 3 + VISITOR_CONVERSATIONS;

/** Opens the sockets of this instance, and the fan-out to other instances. */
export function openHub({ add, app, config, directory, logger, metrics, share }: Messenger): {
  hub: Hub;
  publisher: Publisher;
} {
  const fanOut = openFanOut({
    channel: 'switchboard:messenger',
    redisUrl: config.REDIS_URL,
    onChange: (error) =>
      error
        ? logger.warn({ error }, 'fan-out disconnected, live updates reach only this instance')
        : logger.info('fan-out reconnected'),
  });
  const hub = createHub({
    fanOut,
    maxSockets: share(config.SOCKETS_MAX),
    maxTopicsPerSocket: TOPICS_PER_SOCKET,
    // The credential of an agent's stream is JSON.
    refusalOf: (credential) =>
      credential.startsWith('{')
        ? refusalOfStream(credential, streamConversations.permission, directory)
        : refusalOfKey(app.projectKey, credential),
    onError: (error) => logger.warn({ error }, 'handle socket message failed'),
  });
  add(hub, { stop: hub.close });
  metrics.gauge('switchboard_sockets', 'Open sockets.', hub.count);
  return { hub, publisher: createPublisher(hub) };
}

/** Opens subscriptions of sockets to conversations and to the configuration. */
export function openLive(
  shared: Shared,
  { configurations, tokens }: { configurations: Configurations; tokens: ConversationTokens },
): void {
  const { add, app, db, hub, limits } = shared;
  const changes = add(createConfigurationChanges({ ...shared, configurations }));
  const subscriptions = add(createSubscriptions({ ...shared, tokens }));
  const limit = limits.perMinute('subscriptions', limits.subscriptionsPerAddress);
  const signals = createSignals({ ...shared, subscriptions, store: createSupportStore(db) });
  liveRoutes(app, { hub, subscriptions, signals, limit, changes });
}
