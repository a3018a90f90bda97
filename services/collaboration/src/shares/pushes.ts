import type { Member } from '@switchboard/directory';
import { Undeliverable } from '@switchboard/mail';
import { EndpointGone, type PushContent, type Pusher } from '@switchboard/push';
import type { Clock } from '@switchboard/runtime';
import type { SharesStore } from './store.ts';

interface PushOptions {
  store: Pick<SharesStore, 'findDropped' | 'dropEndpoint'>;
  /** Undefined when no VAPID keys are set. */
  pusher: Pusher | undefined;
  clock: Clock;
}

/**
 * Sends a push to one of a member's browsers. Throws EndpointGone for an endpoint that has ended, which gets no further
 * pushes, Undeliverable for other permanent failures, and DeliveryFailed for those to retry.
 */
export type SendPush = (id: string, to: Member, endpoint: string, content: PushContent) => Promise<void>;

export function createSendPush({ store, pusher, clock }: PushOptions): SendPush {
  return async (id, to, endpoint, content) => {
    const subscription = to.pushSubscriptions.find((one) => one.endpoint === endpoint);
    if (subscription === undefined) throw new Undeliverable('the recipient has removed the subscription');
    if (pusher === undefined) throw new Undeliverable('VAPID keys are no longer set');
    if ((await store.findDropped([endpoint])).size > 0) throw new EndpointGone('the subscription has ended');
    try {
      await pusher.send(id, subscription, content);
    } catch (error) {
      if (error instanceof EndpointGone) await store.dropEndpoint(endpoint, clock.now());
      throw error;
    }
  };
}
