import type { Database, Listening } from '@switchboard/database';
import type { Hub, Socket } from '@switchboard/realtime';
import type { Clock, Logger } from '@switchboard/runtime';
import { REVOKED_CHANNEL } from '../conversations/tokens/store.ts';
import type { ConversationTokens } from '../conversations/tokens/tokens.ts';
import { conversationTopic } from '../publishing/publisher.ts';
import { ALL_SOCKETS } from './configuration-changes.ts';

interface SubscriptionsOptions {
  database: Pick<Database, 'listen'>;
  hub: Pick<Hub, 'here'>;
  tokens: Pick<ConversationTokens, 'expiry'>;
  clock: Clock;
  logger: Logger;
}

interface Subscription {
  projectId: string;
  conversationId: string;
  token: string;
}

/** A subscription, with the time when its token must be checked again. */
interface Held extends Subscription {
  expiresAt: Date;
}

const CHECK_MS = 1_000;
const UNAUTHORIZED = 4401;
const LONG_AGO = new Date(0);

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/** Subscribes sockets to conversations for as long as their tokens are valid. */
export function createSubscriptions({ database, hub, tokens, clock, logger }: SubscriptionsOptions) {
  const subscriptions = new WeakMap<Socket, Map<string, Held>>();
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;
  let listening: Listening | undefined;

  /** Closes sockets with expired tokens. Looks tokens up again at their expiry, because every use renews them. */
  async function closeExpired(): Promise<void> {
    const now = clock.now();
    for (const socket of [...hub.here(ALL_SOCKETS)]) {
      for (const held of subscriptions.get(socket)?.values() ?? []) {
        if (held.expiresAt > now) continue;
        const expiresAt = await tokens.expiry(held);
        if (expiresAt === undefined) socket.close(UNAUTHORIZED, 'conversation token expired or revoked');
        else held.expiresAt = expiresAt;
      }
    }
  }

  /** Makes the next check look up the tokens of these sockets. */
  function doubt(sockets: Iterable<Socket>, conversationId?: string): void {
    for (const socket of sockets) {
      for (const held of subscriptions.get(socket)?.values() ?? []) {
        if (conversationId === undefined || held.conversationId === conversationId) held.expiresAt = LONG_AGO;
      }
    }
  }

  function check(): void {
    if (isChecking) return;
    isChecking = true;
    closeExpired()
      .catch((error) => logger.failed('check tokens of sockets', error))
      .finally(() => {
        isChecking = false;
      });
  }

  return {
    /** Returns the project of a conversation that the socket is subscribed to. */
    projectOf(socket: Socket, conversationId: string): string | undefined {
      return subscriptions.get(socket)?.get(conversationId)?.projectId;
    },

    /** Returns false if the token is invalid, or if the socket has too many conversations. */
    async subscribe(socket: Socket, subscription: Subscription): Promise<boolean> {
      const expiresAt = await tokens.expiry(subscription);
      if (expiresAt === undefined) return false;
      const { conversationId } = subscription;
      if (!socket.join(conversationTopic(conversationId))) return false;
      const held = subscriptions.get(socket) ?? new Map<string, Held>();
      subscriptions.set(socket, held.set(conversationId, { ...subscription, expiresAt }));
      return true;
    },

    async start(): Promise<void> {
      listening ??= await database.listen(
        REVOKED_CHANNEL,
        (conversationId) => doubt(hub.here(conversationTopic(conversationId)), conversationId),
        // Revocations may have been missed.
        () => doubt(hub.here(ALL_SOCKETS)),
      );
      timer ??= setInterval(check, CHECK_MS).unref();
    },

    async stop(): Promise<void> {
      clearInterval(timer);
      await listening?.stop();
    },
  };
}
