import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { applyLoad } from './load.ts';

it('fails no request when the server closes idle connections', async () => {
  const server = createServer(
    { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20, keepAliveTimeoutBuffer: 0 },
    (_, response) => void response.end('ready'),
  );
  server.keepAliveTimeout = 100;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const requests = [{ path: '/' }];
  const result = await applyLoad({
    port,
    headers: {},
    connections: 2,
    seconds: 2,
    perSecond: 4,
    requests,
  });
  expect(result.statuses).toEqual({ 200: 8 });
  expect([...result.outcomes]).toEqual(Array(8).fill(200));
});
