import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { eventually } from '@switchboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { boundLeftovers } from './leftovers.ts';

const BODY_BYTES = 8_000_000;
const BYTES_PER_SECOND = 10_000_000;

let server: Server;
let accepted: Socket[];
beforeEach(async () => {
  accepted = [];
  server = createServer((_, response) => response.writeHead(413, { 'Content-Length': 0 }).end());
  server.on('connection', (socket) => accepted.push(socket));
  boundLeftovers(server, BYTES_PER_SECOND);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a whole body before it reads the response. */
function post(headers: string[], body = Buffer.alloc(BODY_BYTES, ' ')) {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  socket.write(['POST / HTTP/1.1', 'Host: a', ...headers, '', ''].join('\r\n'));
  const sent = new Promise<boolean>((resolve) => socket.write(body, (error) => resolve(!error)));
  return { socket, sent };
}

const length = `Content-Length: ${BODY_BYTES}`;

it('a client that sends its whole body before it reads gets the response, and keeps its connection', async () => {
  const { socket, sent } = post([length]);
  expect(await sent).toBe(true);
  const [data] = await once(socket, 'data');
  expect(String(data)).toMatch(/^HTTP\/1\.1 413 /);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 413 /);
  socket.destroy();
});

it('a connection accepts the next request when the rest of a refused body was already read', async () => {
  const chunk = Buffer.from(`${(60_000).toString(16)}\r\n${' '.repeat(60_000)}\r\n0\r\n\r\n`);
  const { socket } = post(['Transfer-Encoding: chunked'], chunk);
  for (let requests = 0; requests < 3; requests++) {
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 413 /);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  }
  socket.destroy();
});

it.each([
  ['many refused bodies', [length], 12],
  ['refused bodies of unknown length', ['Transfer-Encoding: chunked'], 3],
])('the server does not read %s to their end', async (_, headers, count) => {
  const chunk = Buffer.concat([
    Buffer.from(`${BODY_BYTES.toString(16)}\r\n`),
    Buffer.alloc(BODY_BYTES, ' '),
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
  const clients = Array.from({ length: count }, () =>
    post(headers, headers[0] === length ? undefined : chunk),
  );
  await eventually(() => expect(accepted).toHaveLength(count));
  // Waits until everything is sent or the connection is closed.
  await Promise.all(clients.map(({ sent }) => sent));
  const read = accepted.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  // A burst of two seconds, which the last body overdraws, and the bytes read with the headers of each request.
  const bound = headers[0] === length ? 2 * BYTES_PER_SECOND + BODY_BYTES : 0;
  expect(read).toBeLessThan(bound + count * 1_000_000);
});
