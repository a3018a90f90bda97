import { backoffMs } from './transport.ts';

/** For Switchboard's own add-ons; may change with any version. */
export interface LiveSocket {
  readonly isOpen: boolean;
  /** Sends a message if the socket is open. */
  send(message: object): void;
  /** Connects at once if it waits for the next attempt. */
  wake(): void;
  close(): void;
}

export interface SocketOptions {
  url: string;
  /** Called each time it is connected. */
  onOpen?(): void;
  onMessage(data: unknown): void;
}

/** The server sends a beat every 30 s: a connection that is silent for longer is dead, although it looks open. */
const SILENT_MS = 75_000;
/** Close codes for a key that is invalid or revoked, and one of another region. */
const UNAUTHORIZED = 4401;
const FORBIDDEN = 4403;

/** A WebSocket that connects again when it closes or falls silent, until its key is refused. Never throws. */
export function openSocket({ url, onOpen, onMessage }: SocketOptions): LiveSocket {
  let socket: WebSocket | undefined;
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    clearTimeout(retry);
    retry = undefined;
    let current: WebSocket;
    try {
      current = new WebSocket(url);
    } catch {
      return; // Not an address of a socket.
    }
    let hasHeard = false;
    const hear = () => {
      clearTimeout(silence);
      silence = setTimeout(() => {
        leave();
        reconnect();
      }, SILENT_MS);
    };
    socket = current;
    hear();
    current.onopen = () => {
      if (socket !== current) return;
      hear();
      onOpen?.();
    };
    current.onmessage = ({ data }) => {
      if (socket !== current) return;
      hear();
      hasHeard = true;
      failures = 0;
      onMessage(data);
    };
    current.onclose = ({ code }) => {
      if (socket !== current) return;
      leave();
      // A socket is also closed when something that it followed expires; the key may still be good.
      if (code !== FORBIDDEN && (code !== UNAUTHORIZED || hasHeard)) reconnect();
    };
  }

  function reconnect(): void {
    retry = setTimeout(connect, backoffMs(failures++));
  }

  function leave(): void {
    clearTimeout(silence);
    clearTimeout(retry);
    retry = undefined;
    const current = socket;
    socket = undefined;
    current?.close();
  }

  connect();
  return {
    get isOpen() {
      return socket?.readyState === 1;
    },
    send(message) {
      if (socket?.readyState === 1) socket.send(JSON.stringify(message));
    },
    wake() {
      if (retry !== undefined) connect();
    },
    close: leave,
  };
}
