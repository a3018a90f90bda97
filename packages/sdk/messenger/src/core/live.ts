import { type LiveSocket, openSocket } from '@switchboard/browser/socket';
import type { Access } from './api.ts';
import { MAX_THREADS } from './kept.ts';
import { isObject, textOf, timeOf } from './values.ts';

export type Message =
  | { type: 'subscribed' | 'refused'; id: string }
  | { type: 'turn'; id: string; turn: unknown }
  | { type: 'status'; id: string; status: string }
  | { type: 'typing'; id: string; author: string }
  | { type: 'read'; id: string; isOwn: boolean; at: number }
  | { type: 'config' }
  | { type: 'inbox' };

export interface Live {
  /** Connects, if it is not connected, and subscribes to these conversations. */
  follow(url: string, conversations: readonly Access[]): void;
  /** Tells agents that the visitor types in a conversation, or has seen the turns up to a time. */
  tell(signal: { type: 'typing' | 'read'; conversationId: string; at?: string }): void;
  /** Connects at once if it is waiting for the next attempt. */
  wake(): void;
  pause(): void;
  readonly isOpen: boolean;
}

/** Creates the socket of live updates. On each connection it subscribes again and requests missed updates. */
export function createLive(onMessage: (message: Message) => void): Live {
  let socket: LiveSocket | undefined;
  let address = '';
  let followed: readonly Access[] = [];
  const asked = new Set<string>();

  function subscribe(): void {
    if (socket?.isOpen !== true) return;
    for (const { id, token } of followed.slice(0, MAX_THREADS)) {
      if (asked.has(id)) continue;
      asked.add(id);
      socket.send({ type: 'subscribe', conversationId: id, token });
    }
  }

  function pause(): void {
    socket?.close();
    socket = undefined;
  }

  return {
    pause,
    tell: (signal) => socket?.send(signal),
    wake: () => socket?.wake(),
    follow(url, conversations) {
      followed = conversations;
      if (url !== address) {
        address = url;
        pause();
      }
      if (socket !== undefined) return subscribe();
      socket = openSocket({
        url,
        onOpen() {
          asked.clear();
          // Changes are sent to open sockets only, so there may have been some since the last read.
          onMessage({ type: 'config' });
          onMessage({ type: 'inbox' });
          subscribe();
        },
        onMessage(data) {
          const message = parse(data);
          if (message !== undefined) onMessage(message);
        },
      });
    },
    get isOpen() {
      return socket?.isOpen ?? false;
    },
  };
}

function parse(data: unknown): Message | undefined {
  try {
    const message: unknown = JSON.parse(String(data));
    if (!isObject(message)) return undefined;
    const { type } = message;
    const id = textOf(message['conversationId']);
    if (type === 'subscribed' || type === 'refused') return { type, id };
    if (type === 'turn') return { type, id, turn: message['turn'] };
    if (type === 'status') return { type, id, status: textOf(message['status']) };
    if (type === 'typing') return { type, id, author: textOf(message['authorName']) };
    if (type === 'read') return { type, id, isOwn: message['by'] === 'visitor', at: timeOf(message['at']) };
    if (type === 'inbox_changed') return { type: 'inbox' };
    return type === 'config_changed' ? { type: 'config' } : undefined;
  } catch {
    return undefined;
  }
}
