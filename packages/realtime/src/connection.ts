import type { WebSocket } from 'ws';
import type { AcceptedPlan, Socket } from './socket.ts';

interface ConnectionOptions {
  raw: WebSocket;
  planned: AcceptedPlan;
  maxAgeMs: number;
  maxBufferedBytes: number;
  join(connection: Connection, topic: string): boolean;
  onError(error: unknown): void;
}

export interface Connection extends Socket {
  /** When it has to close, so that its client authenticates again: on the clock of `performance.now`. */
  readonly endsAt: number;
  readonly topics: Set<string>;
  readonly credential: string | undefined;
  open(): void;
  /**
   * Disconnects a client that has not answered since the last beat. Otherwise it pings the client, and sends a message:
   * pages do not see pings, and cannot tell a silent connection from a quiet one.
   */
  beat(): void;
}

/** Messages of a client that may wait for the one before. */
const MAX_WAITING = 64;
/** Their bytes. */
const MAX_WAITING_BYTES = 65_536;
const POLICY = 1008;
const FAILED = 1011;

/** One open socket, with a bound on the bytes buffered for it and on the messages queued from it. */
export function createConnection(options: ConnectionOptions): Connection {
  const { raw, planned, maxAgeMs, maxBufferedBytes, join, onError } = options;
  let isAlive = true;
  let waiting = 0;
  let waitingBytes = 0;
  let last: Promise<void> = Promise.resolve();

  const connection: Connection = {
    endsAt: performance.now() + maxAgeMs,
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
        isAlive = true;
      });
      raw.on('error', () => raw.terminate());
      raw.on('message', (data) => {
        isAlive = true;
        // ws gives a Buffer unless its binaryType is changed.
        const text = Buffer.isBuffer(data) ? data.toString() : '';
        take(text.length, () => planned.onMessage?.(connection, text));
      });
      take(0, () => planned.onOpen?.(connection));
    },
    beat() {
      if (!isAlive) raw.terminate();
      else if (raw.readyState === raw.OPEN) {
        raw.ping();
        connection.send({ type: 'beat' });
      }
      isAlive = false;
    },
  };

  function take(bytes: number, action: () => void | Promise<void>): void {
    // Closing waits for the client, whose further messages must not wait here meanwhile.
    if (raw.readyState !== raw.OPEN) return;
    if (waiting >= MAX_WAITING || waitingBytes + bytes > MAX_WAITING_BYTES) {
      raw.close(POLICY, 'too many messages');
      return;
    }
    waiting += 1;
    waitingBytes += bytes;
    last = last
      .then(action)
      .catch((error: unknown) => {
        onError(error);
        raw.close(FAILED, 'try again');
      })
      .finally(() => {
        waiting -= 1;
        waitingBytes -= bytes;
      });
  }

  return connection;
}
