import { backoffMs } from '@switchboard/browser/transport';
import type { Access } from './api.ts';
import { isObject, textOf } from './values.ts';

export type Message =
  | { type: 'subscribed' | 'refused'; id: string }
  | { type: 'turn'; id: string; turn: unknown }
  | { type: 'status'; id: string; status: string }
  | { type: 'config' };

export interface Live {
  /** Connects, if it is not, and follows these conversations. */
  follow(url: string, conversations: readonly Access[]): void;
  pause(): void;
  readonly isOpen: boolean;
}

/** Close codes for a key that is not good, and will not become so. */
const UNAUTHORIZED = 4401;
const FORBIDDEN = 4403;
const MAX_FOLLOWED = 18;

/** The socket of live updates. It connects again after a failure, and then subscribes again. */
export function createLive(onMessage: (message: Message) => void): Live {
  let socket: WebSocket | undefined;
  let address = '';
  let followed: readonly Access[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  const asked = new Set<string>();

  function connect(): void {
    timer = undefined;
    let current: WebSocket;
    try {
      current = new WebSocket(address);
    } catch {
      return; // The address is none; conversations are read from time to time.
    }
    let hasHeard = false;
    socket = current;
    asked.clear();
    current.onopen = () => {
      // A change is told to open sockets only: it may have been made since the configuration was read.
      onMessage({ type: 'config' });
      subscribe();
    };
    current.onmessage = ({ data }) => {
      failures = 0;
      hasHeard = true;
      const message = parse(data);
      if (message !== undefined && socket === current) onMessage(message);
    };
    current.onclose = ({ code }) => {
      if (socket !== current) return;
      socket = undefined;
      // A conversation's token may have expired, too; the others go on.
      if (code === FORBIDDEN || (code === UNAUTHORIZED && !hasHeard)) return;
      timer = setTimeout(connect, backoffMs(failures++));
    };
  }

  function subscribe(): void {
    if (socket?.readyState !== 1) return;
    for (const { id, token } of followed.slice(0, MAX_FOLLOWED)) {
      if (asked.has(id)) continue;
      asked.add(id);
      socket.send(JSON.stringify({ type: 'subscribe', conversationId: id, token }));
    }
  }

  function pause(): void {
    clearTimeout(timer);
    timer = undefined;
    const current = socket;
    socket = undefined;
    current?.close();
  }

  return {
    pause,
    follow(url, conversations) {
      followed = conversations;
      if (url !== address) {
        address = url;
        pause();
      }
      if (socket === undefined && timer === undefined) connect();
      else subscribe();
    },
    get isOpen() {
      return socket?.readyState === 1;
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
    return type === 'config_changed' ? { type: 'config' } : undefined;
  } catch {
    return undefined;
  }
}
