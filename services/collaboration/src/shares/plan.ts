import type { Member } from '@switchboard/directory';
import { newId } from '../ids/ids.ts';
import type { NewDelivery, SharesStore } from './store.ts';

interface PlanOptions {
  store: Pick<SharesStore, 'findDropped'>;
  /** Whether VAPID keys are set. */
  canPush: boolean;
}

/** Plans one delivery per channel and recipient, so that a retry repeats only what failed. */
export type PlanDeliveries = (recipients: readonly Member[]) => Promise<NewDelivery[]>;

export function createDeliveryPlan({ store, canPush }: PlanOptions): PlanDeliveries {
  return async (recipients) => {
    const pushes = recipients.flatMap(({ sub, pushSubscriptions }) => {
      const endpoints = new Set(pushSubscriptions.map(({ endpoint }) => endpoint));
      return canPush ? [...endpoints].map((endpoint) => ({ sub, endpoint })) : [];
    });
    const dropped = await store.findDropped(pushes.map(({ endpoint }) => endpoint));
    const byEmail = recipients.map(({ sub }) => ({ recipientSub: sub, channel: 'email' as const }));
    const byPush = pushes
      .filter(({ endpoint }) => !dropped.has(endpoint))
      .map(({ sub, endpoint }) => ({ recipientSub: sub, channel: 'push' as const, endpoint }));
    return [...byEmail, ...byPush].map((delivery) => ({ id: newId('dlv'), ...delivery }));
  };
}
