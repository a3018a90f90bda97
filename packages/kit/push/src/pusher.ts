import { requireAccepted, Undeliverable, unanswered } from '@switchboard/mail';
import type { Send } from '@switchboard/runtime';
import webPush from 'web-push';

interface VapidKeys {
  publicKey: string;
  privateKey: string;
  /** A mailto: or https: address at which the push service can contact the operator. */
  subject: string;
}

/** A subscription in the JSON form of the W3C Push API. Keys are base64url. */
export interface PushTarget {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

export interface PushContent {
  type: string;
  title: string;
  body: string;
  /** The address that a click opens. */
  url: string;
}

export interface Pusher {
  /** The VAPID public key, to which browsers bind their subscriptions. */
  readonly publicKey: string;
  /**
   * Throws EndpointGone when the subscription has ended, Undeliverable when the push service rejects the message
   * permanently, and DeliveryFailed for other failures. A push replaces an earlier one with the same id.
   */
  send(id: string, subscription: PushTarget, content: PushContent): Promise<void>;
}

/** The push service reports that the subscription has ended (404 or 410). */
export class EndpointGone extends Undeliverable {
  override name = 'EndpointGone';
}

const TTL_SECONDS = 86_400;
const NAME = 'the push service';

/**
 * Sends web pushes with VAPID. The payload is encrypted for the subscription (aes128gcm). A member chooses the
 * endpoint, which may be any server, so only the status of its response is read.
 */
export function webPusher(vapidDetails: VapidKeys, send: Send): Pusher {
  function encrypt(id: string, { endpoint, keys }: PushTarget, content: PushContent) {
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
      throw unanswered(error, NAME);
    }
  }

  return {
    publicKey: vapidDetails.publicKey,

    async send(id, subscription, content) {
      const { method, headers, body } = encrypt(id, subscription, content);
      const status = await statusOf(subscription.endpoint, {
        method,
        headers,
        body: new Uint8Array(body ?? []),
      });
      if (status === 404 || status === 410) throw new EndpointGone('the subscription has ended');
      requireAccepted(status, NAME);
    },
  };
}
