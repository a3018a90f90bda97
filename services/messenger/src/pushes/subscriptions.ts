import { MAX_PUSH_SUBSCRIPTIONS } from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import { type AuditedChange, Conflict } from '@switchboard/http';
import type { PushTarget } from '@switchboard/push';
import type { Clock } from '@switchboard/runtime';
import type { Agent } from '../agents/agent.ts';
import type { PushesStore } from './store.ts';

interface SubscriptionsOptions {
  store: Pick<PushesStore, 'list' | 'add' | 'remove'>;
  /** Undefined if the deployment sends no pushes. */
  publicKey: string | undefined;
  clock: Clock;
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/** Keeps the browsers in which members get pushes. Members see and remove only their own. */
export function createSubscriptions({ store, publicKey, clock }: SubscriptionsOptions) {
  return {
    async list(agent: Agent) {
      const subscriptions = await store.list(agent);
      return {
        applicationServerKey: publicKey ?? null,
        subscriptions: subscriptions.map(({ createdAt, ...one }) => ({
          ...one,
          createdAt: createdAt.toISOString(),
        })),
      };
    },

    async add(change: AuditedChange, agent: Agent, target: PushTarget): Promise<{ id: string }> {
      if (publicKey === undefined)
        throw new Conflict(
          'No VAPID keys are set. The operator sets VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY.',
        );
      const id = newId('psb');
      change.describe({ object: `push-subscription:${id}` });
      const subscription = { ...agent, id, ...target, publicKey, createdAt: clock.now() };
      await store.add(subscription, MAX_PUSH_SUBSCRIPTIONS, change);
      return { id };
    },

    async remove(change: AuditedChange, agent: Agent, id: string): Promise<void> {
      await store.remove(agent, id, change);
    },
  };
}
