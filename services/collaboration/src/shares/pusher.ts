import type { PushSubscription } from '@switchboard/directory';
import { DeliveryFailed, Undeliverable } from '@switchboard/mail';
import { type Send, SendFailed } from '@switchboard/runtime';
import webPush from 'web-push';
import type { PushContent } from './messages.ts';

interface VapidKeys {
  publicKey: string;
  privateKey: string;
  /** A mailto: or https: address at which the push service can contact the operator. */
  subject: string;
}

export interface Pusher {
  /**
   * Throws EndpointGone when the subscription has ended, Undeliverable when the push service rejects the message
   * permanently, and DeliveryFailed for other failures.
   */
  send(id: string, subscription: PushSubscription, content: PushContent): Promise<void>;
}

/** The push service reports that the subscription has ended (404 or 410). */
export class EndpointGone extends Undeliverable {
  override name = 'EndpointGone';
}

const TTL_SECONDS = 86_400;

/**
 * Sends web pushes with VAPID. The payload is encrypted for the subscription (aes128gcm). A member chooses the
 * endpoint, which may be any server, so only the status of its response is read.
 */
export function webPusher(vapidDetails: VapidKeys, send: Send): Pusher {
  function encrypt(id: string, { endpoint, keys }: PushSubscription, content: PushContent) {
    const payload = JSON.stringify({ ...content, tag: id });
    try {
      return webPush.generateRequestDetails({ endpoint, keys }, payload, {
        vapidDetails,
        contentEncoding: 'aes128gcm',
        TTL: TTL_SECONDS,
        urgency: 'normal',
        // A repeated attempt replaces the first copy if that is not shown yet.
        topic: id.slice(-32),
      });
    } catch {
      throw new Undeliverable('the keys of the subscription are not usable');
    }
  }

  async function statusOf(endpoint: string, request: RequestInit): Promise<number> {
    try {
      return (await send(endpoint, request)).status;
    } catch (error) {
      if (!(error instanceof SendFailed)) throw error;
      if (error.kind === 'refused')
        throw new Undeliverable(`the push endpoint is not allowed: ${error.message}`);
      throw new DeliveryFailed(`the push service failed: ${error.message}`);
    }
  }

  return {
    async send(id, subscription, content) {
      const { method, headers, body } = encrypt(id, subscription, content);
      const status = await statusOf(subscription.endpoint, {
        method,
        headers,
        body: new Uint8Array(body ?? []),
      });
      if (status >= 200 && status < 300) return;
      if (status === 404 || status === 410) throw new EndpointGone('the subscription has ended');
      if (status >= 500 || status === 429 || status === 408) {
        throw new DeliveryFailed(`the push service failed: status ${status}`);
      }
      throw new Undeliverable(`the push service rejected the message: status ${status}`);
    },
  };
}
