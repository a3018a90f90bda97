import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { eventually } from '@switchboard/testkit';
import { Hono } from 'hono';
import { expect, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createHub, type HubOptions, openFanOut, type Socket } from '../index.ts';

/** Starts an instance. Its clients join the topic they name, and are rejected without a key. */
export async function startInstance({
  onPlan,
  ...options
}: Partial<HubOptions> & { redisUrl?: string; channel?: string; onPlan?: () => void } = {}) {
  const errors: unknown[] = [];
  const fanOut = openFanOut({ channel: options.channel ?? 'test', redisUrl: options.redisUrl });
  const hub = createHub({
    ...{ fanOut, maxSockets: 100, maxPerAddress: 50 },
    onError: (error) => errors.push(error),
    ...options,
  });
  const plan = {
    async onMessage(socket: Socket, text: string) {
      if (text === 'fail') throw new Error('failed');
      if (text === 'slow') await sleep(50);
      socket.send({ joined: socket.join(text), topic: text });
    },
  };
  const app = new Hono<{ Bindings: object }>();
  const route = hub.route(
    (c) => c.req.query('address') ?? 'here',
    async (c) => {
      onPlan?.();
      const credential = c.req.query('key');
      return credential ? { ...plan, credential } : { refuse: { code: 4401, reason: 'no key' } };
    },
  );
  app.get('/socket', route);
  const server = createAdaptorServer({
    fetch: app.fetch,
    websocket: { server: new WebSocketServer({ noServer: true }) as never },
  }) as Server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    hub.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `127.0.0.1:${Object(server.address()).port}/socket`;
  return { hub, errors, url, fanOut };
}

export type Instance = Awaited<ReturnType<typeof startInstance>>;

export async function connect({ url }: Pick<Instance, 'url'>, query = 'key=1') {
  const socket = new WebSocket(`ws://${url}?${query}`);
  onTestFinished(() => socket.terminate());
  const received: unknown[] = [];
  socket.on('message', (data) => received.push(JSON.parse(String(data))));
  const closed = once(socket, 'close').then(([code]) => code as number);
  await once(socket, 'open');
  return {
    socket,
    received,
    closed,
    async join(topic: string) {
      socket.send(topic);
      await eventually(() => expect(received).toContainEqual({ joined: true, topic }));
    },
  };
}
