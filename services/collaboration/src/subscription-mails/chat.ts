import type { SubscriptionChannel } from '@switchboard/contracts';
import { requireAccepted, unanswered } from '@switchboard/mail';
import type { Send } from '@switchboard/runtime';

/** Posts messages to the webhooks of chats. */
export interface Chat {
  /** Throws Undeliverable if the chat rejects the message, and DeliveryFailed for other failures. */
  post(kind: SubscriptionChannel['kind'], url: string, body: string): Promise<void>;
}

const NAMES = { slack: 'Slack', discord: 'Discord', teams: 'Teams' };

/** A member chooses the URL, which may lead to any server, so only the status of its response is read. */
export function createChat(send: Send): Chat {
  return {
    async post(kind, url, body) {
      const headers = { 'Content-Type': 'application/json' };
      const { status } = await send(url, { method: 'POST', headers, body, redirect: 'manual' }).catch(
        (error: unknown) => {
          throw unanswered(error, NAMES[kind]);
        },
      );
      requireAccepted(status, NAMES[kind]);
    },
  };
}
