import type { IncomingMessage } from 'node:http';
import { upgradeWebSocket } from '@hono/node-server';
import { createBuckets, yieldBriefly } from '@switchboard/fairness';
import type { Context, MiddlewareHandler } from 'hono';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { type Connection, createConnection } from './connection.ts';
import { watchCredentials } from './credentials.ts';
import { createEventStream } from './event-stream.ts';
import type { FanOut } from './fan-out.ts';
import type { Refusal, Socket, SocketPlan, StreamPlan } from './socket.ts';

export interface HubOptions {
  fanOut: FanOut;
  maxSockets: number;
  /**
   * The socket limit per address. It never exceeds the number of free sockets, so that a few addresses cannot use all.
   * Default: a tenth of `maxSockets`.
   */
  maxPerAddress?: number;
  /**
   * The interval in milliseconds of pings and of the message `{"type":"beat"}`. A client that did not answer the last
   * ping is disconnected. Default 30 s.
   */
  pingMs?: number;
  /** The number of bytes buffered for a slow client before it is disconnected. Default 256 KiB. */
  maxBufferedBytes?: number;
  /** The age at which a socket is closed with 1012, so that its client authenticates again. Default: one day. */
  maxAgeMs?: number;
  /** The maximum number of topics per socket. Default 20. */
  maxTopicsPerSocket?: number;
  /** Called every `refusalMs` for the credential of each open socket, once for sockets with the same credential. */
  refusalOf?: (credential: string) => Promise<Refusal | undefined>;
  /** The interval of `refusalOf` in milliseconds. Default 400. */
  refusalMs?: number;
  onError(error: unknown): void;
}

export interface Hub {
  /**
   * Returns a route that upgrades to WebSocket. Responds with 429 past `maxPerAddress` or after a flood of
   * messages from the address, and with 503 past `maxSockets`.
   */
  route(addressOf: (c: Context) => string, plan: (c: Context) => Promise<SocketPlan>): MiddlewareHandler;
  /**
   * Returns the body of an event stream (`text/event-stream`) that receives the same messages as a socket. Returns
   * undefined past `maxSockets`, or past `maxPerAddress` for one of `fairnessKeys`, such as an address and a project.
   */
  stream(
    incoming: IncomingMessage | undefined,
    fairnessKeys: readonly string[],
    plan: StreamPlan,
  ): ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /** Sends to the topic's sockets on every instance. */
  publish(topic: string, message: object): void;
  /** Sends to the topic's sockets on this instance. */
  sendHere(topic: string, message: object): void;
  /** Returns the topic's sockets on this instance. */
  here(topic: string): Iterable<Socket>;
  /** Returns the number of open sockets on this instance. */
  count(): number;
  close(): void;
}

const published = z.object({ topic: z.string(), message: z.looseObject({}) });
const RESTART = 1012;
/** Sockets are pinged in groups, because thousands of simultaneous pings and pongs delay requests by 100 ms. */
const PING_GROUPS = 60;
/** The period over which reconnecting clients are spread. */
const SPREAD_MS = 3000;
/** The time in which an address opens no socket after one of its sockets sent too many messages. */
const FLOOD_SECONDS = 30;

/** Holds this instance's sockets and delivers messages by topic, across instances through `fanOut`. */
export function createHub(options: HubOptions): Hub {
  const {
    fanOut,
    maxSockets,
    maxPerAddress = Math.ceil(maxSockets / 10),
    pingMs = 30_000,
    maxAgeMs = 86_400_000,
    onError,
  } = options;
  const { maxBufferedBytes = 262_144, maxTopicsPerSocket = 20 } = options;
  const connections = new Set<Connection>();
  const byTopic = new Map<string, Set<Connection>>();
  const byKey = new Map<string, number>();
  const pingGroups = Array.from({ length: PING_GROUPS }, () => new Set<Connection>());
  const floods = createBuckets(1);
  let reserved = 0;
  let accepted = 0;
  let beats = 0;
  let isClosed = false;

  function leave(connection: Connection): void {
    connections.delete(connection);
    for (const topic of connection.topics) {
      const members = byTopic.get(topic);
      members?.delete(connection);
      if (members?.size === 0) byTopic.delete(topic);
    }
  }

  function join(connection: Connection, topic: string): boolean {
    if (connection.topics.has(topic)) return true;
    if (connection.topics.size >= maxTopicsPerSocket) return false;
    connection.topics.add(topic);
    const members = byTopic.get(topic) ?? new Set();
    byTopic.set(topic, members.add(connection));
    return true;
  }

  function sendHere(topic: string, message: object): void {
    for (const connection of here(topic)) connection.send(message);
  }

  const here = (topic: string): Iterable<Connection> => byTopic.get(topic) ?? [];

  fanOut.listen(
    (text) => {
      // Anything can write to the channel, and an error thrown in this event handler would end the process.
      const received = parsePublished(text);
      if (received === undefined) onError(new Error('ignored malformed fan-out message'));
      else sendHere(received.topic, received.message);
    },
    () => {
      // It is unknown which messages were missed, so clients reconnect and read the current state.
      for (const connection of connections) {
        setTimeout(() => connection.close(RESTART, 'reconnect'), Math.random() * SPREAD_MS).unref();
      }
    },
  );

  const beat = setInterval(() => {
    const now = performance.now();
    for (const connection of pingGroups[beats++ % PING_GROUPS] ?? []) {
      if (connection.endsAt < now) connection.close(RESTART, 'reconnect');
      connection.beat();
    }
  }, pingMs / PING_GROUPS);
  beat.unref();

  const credentials =
    options.refusalOf &&
    watchCredentials({
      connections,
      refusalOf: options.refusalOf,
      everyMs: options.refusalMs ?? 400,
      onError,
    });

  function hasRoom(fairnessKey: string): boolean {
    return (byKey.get(fairnessKey) ?? 0) < Math.min(maxPerAddress, maxSockets - reserved);
  }

  /** Counts a connection for its keys until it is released or closes, even if the upgrade fails. */
  function reserve(fairnessKeys: readonly string[], incoming: IncomingMessage | undefined): () => void {
    let isReserved = true;
    reserved += 1;
    for (const fairnessKey of fairnessKeys) byKey.set(fairnessKey, (byKey.get(fairnessKey) ?? 0) + 1);
    const release = () => {
      if (!isReserved) return;
      isReserved = false;
      incoming?.socket.off('close', release);
      reserved -= 1;
      for (const fairnessKey of fairnessKeys) {
        const left = (byKey.get(fairnessKey) ?? 1) - 1;
        if (left > 0) byKey.set(fairnessKey, left);
        else byKey.delete(fairnessKey);
      }
    };
    // A closed connection does not emit `close` again.
    if (incoming?.socket.destroyed) release();
    else incoming?.socket.once('close', release);
    return release;
  }

  /** Adds the connection. Returns a function that removes it. */
  function enter(connection: Connection): () => void {
    connections.add(connection);
    const pingGroup = pingGroups[accepted++ % PING_GROUPS];
    pingGroup?.add(connection);
    return () => {
      leave(connection);
      pingGroup?.delete(connection);
    };
  }

  function accept(raw: unknown, planned: SocketPlan, address: string): void {
    if (!(raw instanceof WebSocket)) throw new Error('expected a socket of ws');
    if ('refuse' in planned) {
      raw.close(planned.refuse.code, planned.refuse.reason);
      return;
    }
    const connection = createConnection({
      raw,
      planned,
      maxAgeMs,
      maxBufferedBytes,
      join,
      onError,
      onFlood: () => floods.take(address, FLOOD_SECONDS),
    });
    raw.once('close', enter(connection));
    connection.open();
  }

  return {
    route(addressOf, plan) {
      const upgrade = upgradeWebSocket(
        async (c) => {
          const planned = await plan(c);
          const address = addressOf(c);
          return { onOpen: (_, { raw }) => accept(raw, planned, address) };
        },
        { onError },
      );
      return async (c, next) => {
        // Only a connection that Node upgrades has it. With `Upgrade` alone, without `Connection: Upgrade`, the
        // request is an ordinary one, and its connection stays open for more requests.
        if (c.env.wss === undefined) {
          return c.text('This is a WebSocket endpoint. Connect with a WebSocket client.', 426, {
            Upgrade: 'websocket',
          });
        }
        const address = addressOf(c);
        if (reserved >= maxSockets)
          return c.text('Too many connections. Retry after the time in Retry-After.', 503, {
            'Retry-After': '5',
          });
        const wait = floods.wait(address);
        if (wait > 0) {
          return c.text(
            'A socket from your address sent too many messages. Retry after the time in Retry-After.',
            429,
            { 'Retry-After': String(Math.ceil(wait)) },
          );
        }
        if (!hasRoom(address)) {
          return c.text('Too many connections from your address. Retry after the time in Retry-After.', 429, {
            'Retry-After': '5',
          });
        }
        reserve([address], c.env.incoming);
        // Hundreds of simultaneous connects would delay requests by as many milliseconds.
        const turn = yieldBriefly(address);
        if (turn !== undefined) await turn;
        return upgrade(c, next);
      };
    },

    stream(incoming, fairnessKeys, planned) {
      if (isClosed || fairnessKeys.some((fairnessKey) => !hasRoom(fairnessKey))) return undefined;
      const release = reserve(fairnessKeys, incoming);
      const { connection, body } = createEventStream({
        planned,
        maxBufferedBytes,
        join,
        onError,
        onClosed() {
          remove();
          release();
          planned.onClose?.();
        },
      });
      const remove = enter(connection);
      connection.open();
      return body;
    },
    publish(topic, message) {
      sendHere(topic, message);
      fanOut.publish(JSON.stringify({ topic, message }));
    },
    sendHere,
    here,
    count: () => connections.size,
    close() {
      isClosed = true;
      clearInterval(beat);
      credentials?.stop();
      for (const connection of connections) connection.close(1001, 'server shutting down');
      fanOut.close();
    },
  };
}

function parsePublished(text: string): z.infer<typeof published> | undefined {
  try {
    return published.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
