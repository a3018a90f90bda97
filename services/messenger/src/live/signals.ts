import type { VisitorSignal } from '@switchboard/contracts';
import type { Socket } from '@switchboard/realtime';
import type { Clock } from '@switchboard/runtime';
import type { Publisher } from '../publishing/publisher.ts';
import type { SupportStore } from '../support/store.ts';
import type { Subscriptions } from './subscriptions.ts';

interface SignalsOptions {
  subscriptions: Pick<Subscriptions, 'projectOf'>;
  store: Pick<SupportStore, 'markVisitorRead'>;
  publisher: Pick<Publisher, 'publishToAgents'>;
  clock: Clock;
}

/** A socket's signals of a type within this time after another are dropped. */
const APART_MS = 1_000;

export type Signals = ReturnType<typeof createSignals>;

/** Tells agents what a visitor does: types, and reads a conversation. */
export function createSignals({ subscriptions, store, publisher, clock }: SignalsOptions) {
  const latest = new WeakMap<Socket, Map<VisitorSignal['type'], number>>();

  function isTooSoon(socket: Socket, type: VisitorSignal['type']): boolean {
    const now = clock.now().getTime();
    const times = latest.get(socket) ?? new Map<VisitorSignal['type'], number>();
    if (now - (times.get(type) ?? 0) < APART_MS) return true;
    latest.set(socket, times.set(type, now));
    return false;
  }

  return {
    /** Ignores signals about conversations that the socket is not subscribed to. */
    async signal(socket: Socket, { type, conversationId }: VisitorSignal): Promise<void> {
      const projectId = subscriptions.projectOf(socket, conversationId);
      if (projectId === undefined || isTooSoon(socket, type)) return;
      if (type === 'read' && !(await store.markVisitorRead(conversationId, clock.now()))) return;
      const visitor = { sub: null, name: null };
      publisher.publishToAgents(projectId, { kind: 'presence', conversationId, ...visitor, state: type });
    },
  };
}
