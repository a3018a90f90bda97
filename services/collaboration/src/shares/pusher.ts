import type { PushSubscription } from '@switchboard/directory';
import webPush from 'web-push';
import type { PushContent } from './messages.ts';
import { Undeliverable } from './undeliverable.ts';

interface VapidKeys {
  publicKey: string;
  privateKey: string;
  /** A mailto: or https: address for the push service to contact the operator. */
  subject: string;
}

export interface Pusher {
  /**
   * Throws EndpointGone when the subscription has ended, Undeliverable when the push service refuses the
   * message for good; any other error may pass.
   */
  send(id: string, subscription: PushSubscription, content: PushContent): Promise<void>;
}

/** The push service reports that the subscription has ended (404 or 410). */
export class EndpointGone extends Undeliverable {
  override name = 'EndpointGone';
}

const TTL_SECONDS = 86_400;

/** Web push with VAPID; the payload is encrypted for the subscription (aes128gcm). */
export function webPusher(vapidDetails: VapidKeys): Pusher {
  return {
    async send(id, { endpoint, keys }, content) {
      const payload = JSON.stringify({ type: 'report_shared', ...content, tag: id });
      try {
        await webPush.sendNotification({ endpoint, keys }, payload, {
          vapidDetails,
          contentEncoding: 'aes128gcm',
          TTL: TTL_SECONDS,
          urgency: 'normal',
          // A repetition of this delivery replaces the first copy if that is not shown yet.
          topic: id.slice(-32),
          timeout: 10_000,
        });
      } catch (error) {
        const status = error instanceof webPush.WebPushError ? error.statusCode : undefined;
        if (status === 404 || status === 410) throw new EndpointGone('the subscription has ended');
        if (status !== undefined && status >= 400 && status < 500 && status !== 429 && status !== 408) {
          throw new Undeliverable(`the push service refused it: ${status}`);
        }
        throw error;
      }
    },
  };
}
