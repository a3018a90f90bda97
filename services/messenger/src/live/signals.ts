import type { VisitorSignal } from '@switchboard/contracts';
import type { Socket } from '@switchboard/realtime';
import type { Clock } from '@switchboard/runtime';
import type { Publisher } from '../publishing/publisher.ts';
import type { SupportStore } from '../support/store.ts';
import type { Subscriptions } from './subscriptions.ts';

interface SignalsOptions {
  subscriptions: Pick<Subscriptions, 'projectOf'>;
  store: Pick<SupportStore, 'markVisitorRead'>;
  publisher: Pick<Publisher, 'publishToAgents' | 'publishRead'>;
  clock: Clock;
}

/** A socket's signals of a type within this time after another are dropped. Clients send one a second at most. */
const APART_MS = 500;

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

  async function markRead(conversationId: string, at: string | undefined): Promise<boolean> {
    const readAt = await store.markVisitorRead(conversationId, at === undefined ? undefined : new Date(at));
    if (readAt !== undefined) publisher.publishRead(conversationId, 'visitor', readAt);
    return readAt !== undefined;
  }

  return {
    /** Ignores signals about conversations that the socket is not subscribed to. */
    async signal(socket: Socket, signal: VisitorSignal): Promise<void> {
      const { type, conversationId } = signal;
      const projectId = subscriptions.projectOf(socket, conversationId);
      if (projectId === undefined || isTooSoon(socket, type)) return;
      if (signal.type === 'read' && !(await markRead(conversationId, signal.at))) return;
      const visitor = { sub: null, name: null };
      publisher.publishToAgents(projectId, { kind: 'presence', conversationId, ...visitor, state: type });
    },
  };
}
