import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { eventually, testDatabase } from '@switchboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { connect as connectTo } from './connect.ts';
import { openDatabase } from './index.ts';
import { createListener } from './listen.ts';

type Cut = 'closed' | 'reset';

/** Forwards to PostgreSQL. `cut` ends every connection, and the next one after a number of bytes of answers. */
async function cuttingProxy(url: string) {
  const { port } = new URL(url);
  const clients = new Set<Socket>();
  let next: { how: Cut; position: number } | undefined;
  let connections = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    const end = (how: Cut = 'closed') => {
      if (how === 'reset') client.resetAndDestroy();
      else client.destroy();
      upstream.destroy();
    };
    const fault = next;
    let left = fault?.position ?? Number.POSITIVE_INFINITY;
    next = undefined;
    connections += 1;
    clients.add(client);
    client.on('close', () => clients.delete(client) && end());
    for (const socket of [client, upstream]) socket.on('error', () => end());
    upstream.on('close', () => end());
    client.pipe(upstream);
    upstream.on('data', (data) => {
      const passed = data.subarray(0, left);
      left -= passed.length;
      client.write(passed, () => left === 0 && end(fault?.how));
    });
    if (left === 0) end(fault?.how);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxied = new URL(url);
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    connections: () => connections,
    cut(how: Cut, position: number) {
      next = { how, position };
      for (const client of clients) client.destroy();
    },
    close() {
      for (const client of clients) client.destroy();
      server.close();
    },
  };
}

it.each(['closed', 'reset'] as const)(
  'listens again on every channel, at whichever byte of the new attempt the connection is %s',
  async (how) => {
    const own = await testDatabase();
    const proxy = await cuttingProxy(own.url);
    const database = openDatabase({ url: proxy.url, applicationName: 'listening' });
    const sender = openDatabase({ url: own.url, applicationName: 'sender' });
    onTestFinished(async () => {
      await Promise.all([database.close(), sender.close()]);
      proxy.close();
      await own.drop();
    });
    const heard = new Set<string>();
    let gaps = 0;
    const hear = (payload: string) => void heard.add(payload);
    for (const channel of ['one', 'two']) await database.listen(channel, hear, () => gaps++);

    // The log-in and the answers to both LISTEN statements are about 600 bytes.
    for (let position = 0; position <= 640; position += 20) {
      const [connections, before] = [proxy.connections(), gaps];
      proxy.cut(how, position);
      await eventually(
        async () => {
          await sender.sql`select pg_notify('one', ${`one ${position}`}), pg_notify('two', ${`two ${position}`})`;
          expect([...heard]).toEqual(expect.arrayContaining([`one ${position}`, `two ${position}`]));
        },
        { withinMs: 20_000 },
      );
      expect(proxy.connections()).toBeGreaterThan(connections);
      // Each channel is notified of the loss and of the end of the gap.
      await eventually(() => expect(gaps - before).toBeGreaterThanOrEqual(4));
    }
  },
  60_000,
);

it('reports a gap when notifications stop arriving, as behind a pooler', async () => {
  const own = await testDatabase();
  let isDelivering = true;
  const common = {
    applicationName: 'pooled',
    poolSize: 1,
    statementTimeoutMs: 5_000,
    connectTimeoutMs: 3_000,
  };
  const listener = createListener(({ onnotify, onclose }) => {
    const hooks = {
      onclose,
      onnotify: (channel: string, payload: string) => isDelivering && onnotify(channel, payload),
    };
    return connectTo(own.url, common, { ...hooks, idle_timeout: 0, max_lifetime: null, fetch_types: false })
      .sql;
  }, 100);
  onTestFinished(async () => {
    await listener.close();
    await own.drop();
  });
  let gaps = 0;
  await listener.listen(
    'news',
    () => undefined,
    () => gaps++,
  );
  isDelivering = false;
  const before = gaps;
  await eventually(() => expect(gaps).toBeGreaterThan(before + 1));
  isDelivering = true;
  await eventually(async () => {
    const now = gaps;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(gaps).toBe(now);
  });
});
