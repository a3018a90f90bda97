import type { IncomingMessage } from 'node:http';
import { upgradeWebSocket } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { type Connection, createConnection } from './connection.ts';
import { watchCredentials } from './credentials.ts';
import type { FanOut } from './fan-out.ts';

/** A client's socket. */
export interface Socket {
  send(message: object): void;
  /** From now on it gets what is sent to the topic. False when it has joined as many as it may. */
  join(topic: string): boolean;
  close(code: number, reason: string): void;
}

/** Why and with which code a socket is closed. */
export interface Refusal {
  code: number;
  reason: string;
}

/** What to do with a socket, decided before it opens. */
export type SocketPlan =
  | { refuse: Refusal }
  | {
      /** What it was opened with, such as a project key: closed when `refusalOf` refuses it. */
      credential?: string;
      onOpen?(socket: Socket): void | Promise<void>;
      /** One at a time, in their order. A rejection closes the socket with 1011. */
      onMessage?(socket: Socket, text: string): void | Promise<void>;
    };

export interface HubOptions {
  fanOut: FanOut;
  maxSockets: number;
  maxPerAddress: number;
  /** How often a client is asked whether it is there, in milliseconds; one that did not answer is cut. Default 30 s. */
  pingMs?: number;
  /** What may wait to be sent to a slow client, in bytes, before it is cut. Default 256 KiB. */
  maxBufferedBytes?: number;
  /** After so long a socket is closed with 1012, so that its client shows its credentials again. Default a day. */
  maxAgeMs?: number;
  maxTopicsPerSocket?: number;
  /** Asked again and again for the credential of every open socket, once for those that share one. */
  refusalOf?: (credential: string) => Promise<Refusal | undefined>;
  /** How often, in milliseconds. Default 400. */
  refusalMs?: number;
  onError(error: unknown): void;
}

export interface Hub {
  /** A route that upgrades. Too many sockets of an address are answered 429, in all 503. */
  route(addressOf: (c: Context) => string, plan: (c: Context) => Promise<SocketPlan>): MiddlewareHandler;
  /** Sends to the sockets of all instances that joined the topic. */
  publish(topic: string, message: object): void;
  /** Sends to the sockets of this instance alone. */
  sendHere(topic: string, message: object): void;
  /** The sockets of this instance that joined the topic. */
  here(topic: string): Iterable<Socket>;
  /** Sockets that are open here. */
  count(): number;
  close(): void;
}

const published = z.object({ topic: z.string(), message: z.looseObject({}) });
const RESTART = 1012;
/** When all are to come back, they do so over so long. */
const SPREAD_MS = 3000;

/** The sockets of this instance, and the way to those of the others. */
export function createHub(options: HubOptions): Hub {
  const { fanOut, maxSockets, maxPerAddress, pingMs = 30_000, maxAgeMs = 86_400_000, onError } = options;
  const { maxBufferedBytes = 262_144, maxTopicsPerSocket = 20 } = options;
  const connections = new Set<Connection>();
  const byTopic = new Map<string, Set<Connection>>();
  const byAddress = new Map<string, number>();
  let reserved = 0;

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
      const { topic, message } = published.parse(JSON.parse(text));
      sendHere(topic, message);
    },
    () => {
      // What was missed is not known: clients come back and read.
      for (const connection of connections) {
        setTimeout(() => connection.close(RESTART, 'connect again'), Math.random() * SPREAD_MS).unref();
      }
    },
  );

  const beat = setInterval(() => {
    const oldest = performance.now() - maxAgeMs;
    for (const connection of connections) {
      if (connection.openedAt < oldest) connection.close(RESTART, 'connect again');
      connection.beat();
    }
  }, pingMs);
  beat.unref();

  const credentials =
    options.refusalOf &&
    watchCredentials({
      connections,
      refusalOf: options.refusalOf,
      everyMs: options.refusalMs ?? 400,
      onError,
    });

  /** Counts a connection until it closes, whether or not it becomes a socket. */
  function reserve(address: string, incoming: IncomingMessage): void {
    reserved += 1;
    byAddress.set(address, (byAddress.get(address) ?? 0) + 1);
    incoming.socket.once('close', () => {
      reserved -= 1;
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left > 0) byAddress.set(address, left);
      else byAddress.delete(address);
    });
  }

  function accept(raw: unknown, planned: SocketPlan): void {
    if (!(raw instanceof WebSocket)) throw new Error('sockets are served through ws');
    if ('refuse' in planned) {
      raw.close(planned.refuse.code, planned.refuse.reason);
      return;
    }
    const connection = createConnection({ raw, planned, maxBufferedBytes, join, onError });
    connections.add(connection);
    raw.once('close', () => leave(connection));
    connection.open();
  }

  return {
    route(addressOf, plan) {
      const upgrade = upgradeWebSocket(
        async (c) => {
          const planned = await plan(c);
          return { onOpen: (_, { raw }) => accept(raw, planned) };
        },
        { onError },
      );
      return async (c, next) => {
        if (c.req.header('upgrade')?.toLowerCase() !== 'websocket') {
          return c.text('Connect with a WebSocket.', 426, { Upgrade: 'websocket' });
        }
        const address = addressOf(c);
        if (reserved >= maxSockets) return c.text('Too many sockets.', 503, { 'Retry-After': '5' });
        if ((byAddress.get(address) ?? 0) >= maxPerAddress) {
          return c.text('Too many sockets of one address.', 429, { 'Retry-After': '5' });
        }
        reserve(address, c.env.incoming);
        return upgrade(c, next);
      };
    },

    publish(topic, message) {
      sendHere(topic, message);
      fanOut.publish(JSON.stringify({ topic, message }));
    },
    sendHere,
    here,
    count: () => connections.size,
    close() {
      clearInterval(beat);
      credentials?.stop();
      for (const connection of connections) connection.close(1001, 'the server is leaving');
      fanOut.close();
    },
  };
}
