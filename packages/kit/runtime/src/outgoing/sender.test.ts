import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { networkList } from '../settings/fields.ts';
import type { OutgoingConfig } from '../settings/outgoing.ts';
import { createSender, SendFailed } from './sender.ts';

const LOOPBACK = networkList.parse('127.0.0.0/8,::1/128');

function config(changed: Partial<OutgoingConfig> = {}): OutgoingConfig {
  return {
    OUTGOING_PRIVATE_NETWORKS: LOOPBACK,
    ...changed,
  };
}

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  let connections = 0;
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, url: `http://127.0.0.1:${port}`, connections: () => connections };
}

const sender = (changed: Partial<OutgoingConfig> = {}, maxBytes = 1000, timeoutMs = 5_000) =>
  createSender({ config: config(changed), timeoutMs, maxBytes });

it('sends method, headers and body, and returns status, headers and body', async () => {
  const { url } = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = `${request.method} ${request.url} ${request.headers['x-a']} ${Buffer.concat(chunks)}`;
    response.writeHead(404, { 'X-B': 'b' }).end(body);
  });
  const answer = await sender()(`${url}/p?q=1`, { method: 'POST', headers: { 'X-A': 'a' }, body: 'hello' });
  expect([answer.status, answer.headers.get('x-b'), await answer.text()]).toEqual([
    404,
    'b',
    'POST /p?q=1 a hello',
  ]);
});

it('ends an endless response at its bound', async () => {
  const { url, server } = await serve((_, response) => {
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  });
  await expect(sender()(url)).rejects.toThrow(new SendFailed('large', 'a response of more than 1000 bytes'));
  await expect.poll(() => connectionsOf(server)).toBe(0);
});

it('ends a response that trickles at the deadline', async () => {
  const { url, server } = await serve((_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  });
  await expect(sender({}, 1_000_000, 300)(url)).rejects.toThrow(
    new SendFailed('late', 'no answer within 0.3 s'),
  );
  await expect.poll(() => connectionsOf(server)).toBe(0);
});

it('ends trickling headers and silence at the deadline', async () => {
  const { server } = await serve(() => undefined);
  server.on('connection', (socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 20);
    socket.on('close', () => clearInterval(timer));
  });
  const { port } = server.address() as AddressInfo;
  const { url } = await serve(() => undefined);
  for (const silent of [`http://127.0.0.1:${port}`, url]) {
    await expect(sender({}, 1000, 300)(silent)).rejects.toThrow(SendFailed);
  }
});

it('returns once the status has arrived where bodies are not read', async () => {
  const { url, server } = await serve((_, response) => {
    response.writeHead(201).write('x');
  });
  const answer = await sender({}, 0)(url);
  expect([answer.status, await answer.text()]).toEqual([201, '']);
  await expect.poll(() => connectionsOf(server)).toBe(0);
});

it('returns a redirect and does not follow it', async () => {
  const inner = await serve((_, response) => void response.end('secret'));
  const { url } = await serve((_, response) => void response.writeHead(302, { Location: inner.url }).end());
  expect((await sender()(url)).status).toBe(302);
  expect(inner.connections()).toBe(0);
});

it('connects to no private address, by number or by name', async () => {
  const { port, connections } = await serve((_, response) => void response.end());
  const send = sender({ OUTGOING_PRIVATE_NETWORKS: [] });
  for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST', '2130706433', '[::ffff:127.0.0.1]', '[::1]']) {
    await expect(send(`http://${host}:${port}/`)).rejects.toThrow(
      /resolves to the private address .*, which OUTGOING_PRIVATE_NETWORKS does not list/,
    );
  }
  expect(connections()).toBe(0);
  expect((await sender()(`http://localhost:${port}/`)).status).toBe(200);
});

it('explains a missing response without quoting the server', async () => {
  const { url, server } = await serve((_, response) => void response.destroy());
  await expect(sender()(url)).rejects.toThrow(new SendFailed('unreachable', 'no answer: UND_ERR_SOCKET'));
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  await expect(sender()(url)).rejects.toThrow(new SendFailed('unreachable', 'no answer: ECONNREFUSED'));
});

it('throws the reason of an abort by its caller', async () => {
  const { url } = await serve(() => undefined);
  const signal = AbortSignal.timeout(50);
  await expect(sender()(url, { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
});

it('uses the proxy, except for hosts that bypass it', async () => {
  const target = await serve((_, response) => void response.end('target'));
  const seen: string[] = [];
  const proxy = await serve((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('proxied');
  });
  proxy.server.on('connect', ({ url = '' }, client) => {
    seen.push(`CONNECT ${url}`);
    const upstream = connect(target.port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    client.on('error', () => upstream.destroy());
  });
  // The operator chooses the proxy's address, so it may be private.
  const through = sender({ OUTGOING_PRIVATE_NETWORKS: [], OUTGOING_PROXY_URL: proxy.url });
  expect(await (await through('http://push.example/a')).text()).toBe('proxied');
  await expect(through('https://push.example/b')).rejects.toThrow(SendFailed); // The target does not support TLS.
  await expect(through('http://10.0.0.1/')).rejects.toThrow('private address');
  expect(seen).toEqual(['GET http://push.example/a', 'CONNECT push.example:443']);
  const around = sender({ OUTGOING_PROXY_URL: proxy.url, OUTGOING_PROXY_BYPASS: 'localhost' });
  expect(await (await around(`http://localhost:${target.port}/`)).text()).toBe('target');
});

const connectionsOf = (server: ReturnType<typeof createServer>) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

it('measures exchanges, and counts 5xx and missing responses as failures', async () => {
  const statuses = [200, 404, 503];
  const { url } = await serve((_, response) => response.writeHead(statuses.shift() ?? 500).end());
  const failures: unknown[] = [];
  const measure = () => (failure?: unknown) => void failures.push(failure);
  const send = createSender({ config: config(), timeoutMs: 5_000, maxBytes: 1000, measure });
  for (let i = 0; i < 3; i++) await send(url);
  await expect(send('http://127.0.0.1:1/')).rejects.toThrow(SendFailed);
  expect(failures).toEqual([undefined, undefined, 503, expect.any(Error)]);
});
