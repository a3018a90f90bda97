import type { Hub, Socket } from '@switchboard/realtime';
import type { Clock, Logger } from '@switchboard/service-kit';
import type { ConversationTokens } from '../conversations/tokens.ts';
import { ALL_SOCKETS } from './configuration-changes.ts';
import { conversationTopic } from './live.ts';

interface SubscriptionsOptions {
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

/** A subscription, and when its token has to be checked again. */
interface Held extends Subscription {
  expiresAt: Date;
}

const CHECK_MS = 1_000;
const UNAUTHORIZED = 4401;

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/** Subscribes sockets to conversations for as long as their tokens are valid. */
export function createSubscriptions({ hub, tokens, clock, logger }: SubscriptionsOptions) {
  const subscriptions = new WeakMap<Socket, Map<string, Held>>();
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;

  /** Every use of a token renews it, so one that has reached its expiry is looked up again. */
  async function closeExpired(): Promise<void> {
    const now = clock.now();
    for (const socket of [...hub.here(ALL_SOCKETS)]) {
      for (const held of subscriptions.get(socket)?.values() ?? []) {
        if (held.expiresAt > now) continue;
        const expiresAt = await tokens.expiry(held);
        if (expiresAt === undefined) socket.close(UNAUTHORIZED, 'conversation token expired');
        else held.expiresAt = expiresAt;
      }
    }
  }

  function check(): void {
    if (isChecking) return;
    isChecking = true;
    closeExpired()
      .catch((error) => logger.warn({ error }, 'check conversation tokens of sockets failed'))
      .finally(() => {
        isChecking = false;
      });
  }

  return {
    /** False for an invalid token, and for more conversations than a socket may have. */
    async subscribe(socket: Socket, subscription: Subscription): Promise<boolean> {
      const expiresAt = await tokens.expiry(subscription);
      if (expiresAt === undefined) return false;
      const { conversationId } = subscription;
      if (!socket.join(conversationTopic(conversationId))) return false;
      const held = subscriptions.get(socket) ?? new Map<string, Held>();
      subscriptions.set(socket, held.set(conversationId, { ...subscription, expiresAt }));
      return true;
    },

    start(): void {
      timer ??= setInterval(check, CHECK_MS).unref();
    },

    stop(): void {
      clearInterval(timer);
    },
  };
}
