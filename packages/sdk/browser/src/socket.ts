import { backoffMs } from './transport.ts';

/** For Switchboard's own add-ons. May change with any version. */
export interface LiveSocket {
  readonly isOpen: boolean;
  /** Sends a message if the socket is open. */
  send(message: object): void;
  /** Connects at once if it is waiting for the next attempt. */
  wake(): void;
  close(): void;
}

export interface SocketOptions {
  url: string;
  /** Called on each connection. */
  onOpen?(): void;
  onMessage(data: unknown): void;
}

/**
 * The server sends a beat every 30 s. A connection that is silent for longer is dead, although it appears open.
 */
const SILENT_MS = 75_000;
/** The close codes for a key that is invalid or revoked, and for a key of another region. */
const UNAUTHORIZED = 4401;
const FORBIDDEN = 4403;

/** Opens a WebSocket that reconnects when it closes or is silent, until its key is rejected. Never throws. */
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
      return; // The URL is not valid for a socket.
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
      // A socket is also closed when a subscription expires. The key may still be valid.
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
