import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { openClickHouse } from '../clickhouse/client.ts';
import { createRequests } from './clickhouse-requests.ts';
import { QueryTimeout } from './engine.ts';

/** Starts a server that answers when the test does. */
async function startServer() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = openClickHouse(`http://127.0.0.1:${port}/none`);
  onTestFinished(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    client,
    async next() {
      const [request, response]: [IncomingMessage, ServerResponse] = (await once(server, 'request')) as never;
      const { searchParams } = new URL(request.url ?? '', 'http://localhost');
      // The client compresses what it sends.
      const query = await text(request.pipe(createGunzip()));
      return { query, searchParams, response };
    },
  };
}

test.each([
  [true, 'sync'],
  [false, 'async'],
])('stops an aborted query on the server (waits: %s)', async (waits, mode) => {
  const { client, next } = await startServer();
  const controller = new AbortController();
  const started = next();
  let isDone = false;
  const sent = createRequests(client, { waits })
    .send({ query: 'select 1' }, controller.signal, (request) => client.command(request))
    .catch((error: unknown) => error)
    .finally(() => {
      isDone = true;
    });
  const { searchParams } = await started;
  const killing = next();
  controller.abort();
  const killed = await killing;
  expect(killed.query).toMatch(new RegExp(`^kill query where query_id = .* ${mode}\\b`));
  expect(killed.searchParams.get('param_id')).toBe(searchParams.get('query_id'));
  if (waits) expect(isDone).toBe(false);
  else expect(await sent).toBeInstanceOf(QueryTimeout);
  killed.response.end();
  expect(await sent).toBeInstanceOf(QueryTimeout);
});
