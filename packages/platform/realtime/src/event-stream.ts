import type { Connection } from './connection.ts';
import type { StreamPlan } from './socket.ts';

interface EventStreamOptions {
  planned: StreamPlan;
  maxBufferedBytes: number;
  join(connection: Connection, topic: string): boolean;
  onError(error: unknown): void;
  /** Called once, regardless of which side closed the stream. */
  onClosed(): void;
}

interface EventStream {
  connection: Connection;
  body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Streams end before a proxy that limits response times, such as the gateway, would cut them off. */
const MAX_AGE_MS = 50 * 60_000;
/** Clients of streams that end at the same time reconnect within this time. */
const MIN_RETRY_MS = 500;
const RETRY_SPREAD_MS = 2_500;

/** Returns a function that encodes a message once for all the streams that it is sent to one after the other. */
export function encodeOnce(): StreamPlan['encode'] {
  let last: { message: object; text: string } | undefined;
  return (message) => {
    if (last?.message !== message) last = { message, text: `data: ${JSON.stringify(message)}\n\n` };
    return last.text;
  };
}

/**
 * Manages an open event stream. Limits the bytes buffered for it. Its beat is an event of that name, which clients
 * cannot answer.
 */
export function createEventStream(options: EventStreamOptions): EventStream {
  const { planned, maxBufferedBytes, join, onError, onClosed } = options;
  const encoder = new TextEncoder();
  let open: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;

  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        open = controller;
      },
      cancel() {
        take();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxBufferedBytes }),
  );

  /** Returns the controller to the code that closes the stream, or undefined if the stream is closed already. */
  function take() {
    const taken = open;
    open = undefined;
    if (taken !== undefined) onClosed();
    return taken;
  }

  function write(text: string): void {
    if (open === undefined) return;
    if ((open.desiredSize ?? 0) <= 0) take()?.error(new Error('the client reads too slowly'));
    else open.enqueue(encoder.encode(text));
  }

  const welcome = async () => planned.onOpen?.(connection);

  const connection: Connection = {
    endsAt: performance.now() + MAX_AGE_MS * (1 - Math.random() / 5),
    topics: new Set(),
    credential: planned.credential,
    send: (message) => write(planned.encode(message)),
    join: (topic) => join(connection, topic),
    close: () => take()?.close(),
    open() {
      write(`retry: ${MIN_RETRY_MS + Math.floor(Math.random() * RETRY_SPREAD_MS)}\n\n`);
      welcome().catch((error: unknown) => {
        onError(error);
        take()?.close();
      });
    },
    beat: () => write('event: beat\ndata: {}\n\n'),
  };
  return { connection, body };
}
