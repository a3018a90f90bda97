import type { WebSocket } from 'ws';
import type { AcceptedPlan, Socket } from './socket.ts';

interface ConnectionOptions {
  raw: WebSocket;
  planned: AcceptedPlan;
  maxAgeMs: number;
  maxBufferedBytes: number;
  join(connection: Connection, topic: string): boolean;
  onError(error: unknown): void;
  /** Called when the client is disconnected because it sent too many messages. */
  onFlood(): void;
}

export interface Connection extends Socket {
  /** When the connection must close so that its client authenticates again, in the time of `performance.now()`. */
  readonly endsAt: number;
  readonly topics: Set<string>;
  readonly credential: string | undefined;
  open(): void;
  /**
   * Disconnects a client that has not responded since the last beat. Otherwise, pings the client and sends a message,
   * because pages do not see pings and cannot tell a dead connection from an idle one.
   */
  beat(): void;
}

/** The maximum number of messages of a client that wait for the previous one. */
const MAX_WAITING = 64;
/** The maximum size of the waiting messages. */
const MAX_WAITING_BYTES = 65_536;
/** The maximum number of messages in each period, however fast they are handled. */
const MAX_PER_PERIOD = 200;
const PERIOD_MS = 10_000;
/** The time for the close code to reach a client after reading from it has stopped. */
const FAREWELL_MS = 1_000;
const POLICY = 1008;
const FAILED = 1011;

/** Manages an open socket. Limits the bytes buffered for it and the messages queued from it. */
export function createConnection(options: ConnectionOptions): Connection {
  const { raw, planned, maxAgeMs, maxBufferedBytes, join, onError, onFlood } = options;
  let isAlive = true;
  let waiting = 0;
  let waitingBytes = 0;
  let periodStart = performance.now();
  let inPeriod = 0;
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
        if (raw.readyState !== raw.OPEN) return;
        if (isOverRate()) return disconnectFlood();
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

  function isOverRate(): boolean {
    const now = performance.now();
    if (now - periodStart >= PERIOD_MS) {
      periodStart = now;
      inPeriod = 0;
    }
    inPeriod += 1;
    return inPeriod > MAX_PER_PERIOD;
  }

  /** Stops reading, because parsing the frames that are already sent would be most of the cost of a flood. */
  function disconnectFlood(): void {
    raw.close(POLICY, 'too many messages');
    raw.pause();
    setTimeout(() => raw.terminate(), FAREWELL_MS).unref();
    onFlood();
  }

  function take(bytes: number, action: () => void | Promise<void>): void {
    // Closing waits for the client, and messages that it sends until then must not be queued.
    if (raw.readyState !== raw.OPEN) return;
    if (waiting >= MAX_WAITING || waitingBytes + bytes > MAX_WAITING_BYTES) {
      disconnectFlood();
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
