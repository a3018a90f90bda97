import type { WebSocket } from 'ws';
import type { Socket, SocketPlan } from './hub.ts';

interface ConnectionOptions {
  raw: WebSocket;
  planned: Exclude<SocketPlan, { refuse: unknown }>;
  maxBufferedBytes: number;
  join(connection: Connection, topic: string): boolean;
  onError(error: unknown): void;
}

export interface Connection extends Socket {
  readonly openedAt: number;
  readonly topics: Set<string>;
  readonly credential: string | undefined;
  open(): void;
  /** Cuts a client that has not answered since the beat before, and asks it again. */
  beat(): void;
}

/** Messages of a client that wait for the one before; more are a flood. */
const MOST_WAITING = 64;
const POLICY = 1008;
const FAILED = 1011;

/** One open socket: bounded in what waits for it, and in what it makes wait. */
export function createConnection(options: ConnectionOptions): Connection {
  const { raw, planned, maxBufferedBytes, join, onError } = options;
  let isThere = true;
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  const connection: Connection = {
    openedAt: performance.now(),
    topics: new Set(),
    credential: planned.credential,
    send(message) {
      if (raw.readyState !== raw.OPEN) return;
      if (raw.bufferedAmount > maxBufferedBytes) raw.terminate();
      else raw.send(JSON.stringify(message));
    },
    join: (topic) => join(connection, topic),
    close: (code, reason) => raw.close(code, reason),
    open() {
      raw.on('pong', () => {
        isThere = true;
      });
      raw.on('error', () => raw.terminate());
      raw.on('message', (data) => {
        isThere = true;
        // ws gives a Buffer unless its binaryType is changed.
        const text = Buffer.isBuffer(data) ? data.toString() : '';
        take(() => planned.onMessage?.(connection, text));
      });
      take(() => planned.onOpen?.(connection));
    },
    beat() {
      if (!isThere) raw.terminate();
      else if (raw.readyState === raw.OPEN) raw.ping();
      isThere = false;
    },
  };

  function take(action: () => void | Promise<void>): void {
    if (waiting >= MOST_WAITING) {
      raw.close(POLICY, 'too many messages at once');
      return;
    }
    waiting += 1;
    last = last
      .then(action)
      .catch((error: unknown) => {
        onError(error);
        raw.close(FAILED, 'try again');
      })
      .finally(() => {
        waiting -= 1;
      });
  }

  return connection;
}
