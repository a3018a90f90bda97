import type { Listeners } from './listeners.ts';
import { isObject } from './storage.ts';
import type { Transport } from './transport.ts';
import type { InboxClient, InboxMessage } from './types.ts';

const POLL_MS = 60_000;

interface InboxOptions {
  host: string;
  transport: Transport;
  listeners: Listeners;
  /** The distinct id. Empty without consent, and then nothing is read. */
  distinctId(): string;
}

export interface InboxControl {
  client: InboxClient;
  /** Reads the messages again if they are in use. */
  refresh(): void;
  forget(): void;
  pause(): void;
}

export function createInbox({ host, transport, listeners, distinctId }: InboxOptions): InboxControl {
  let messages: readonly InboxMessage[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;

  function set(next: readonly InboxMessage[]): void {
    if (JSON.stringify(next) === JSON.stringify(messages)) return;
    messages = next;
    listeners.call();
  }

  async function refresh(): Promise<void> {
    const id = distinctId();
    if (id === '') return;
    try {
      const response = await transport.get(`${host}/v1/messages?distinct_id=${encodeURIComponent(id)}`);
      const body: unknown = response.ok ? await response.json() : undefined;
      if (isObject(body) && Array.isArray(body['messages']) && id === distinctId())
        set(body['messages'].filter(isMessage));
    } catch {
      // The messages are read again later.
    }
  }

  const pause = () => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    pause,
    refresh: () => void (listeners.size > 0 && refresh()),
    forget: () => set([]),
    client: {
      messages: () => messages,
      refresh,
      async markRead(id) {
        if (distinctId() === '') return false;
        try {
          const body = JSON.stringify({ message_id: id, distinct_id: distinctId() });
          const response = await transport.post(`${host}/v1/messages/read`, body);
          const answer: unknown = response.ok ? await response.json() : undefined;
          if (!isObject(answer) || answer['ok'] !== true) return false;
          set(messages.map((message) => (message.id === id ? { ...message, read: true } : message)));
          return true;
        } catch {
          return false;
        }
      },
      onChange(listener) {
        const remove = listeners.add(listener);
        if (timer === undefined) {
          void refresh();
          timer = setInterval(() => {
            if (document.visibilityState === 'visible') void refresh();
          }, POLL_MS);
        }
        return () => {
          remove();
          if (listeners.size === 0) pause();
        };
      },
    },
  };
}

const isMessage = (value: unknown): value is InboxMessage =>
  isObject(value) && typeof value['id'] === 'string' && typeof value['title'] === 'string';
