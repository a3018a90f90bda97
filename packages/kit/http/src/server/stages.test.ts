import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '@switchboard/testkit';
import { afterEach, expect, it } from 'vitest';
import { StagedResponse, stageRequests } from './stages.ts';

let server: Server;
let accepted: Socket[];
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(handle: RequestListener): Promise<void> {
  accepted = [];
  server = createServer({ ServerResponse: StagedResponse }, handle);
  stageRequests(server);
  server.on('connection', (socket) => accepted.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

async function connected(): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' }).setEncoding('utf8');
  await once(socket, 'connect');
  return socket;
}

const request = (body = '') => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Reads from a client until `end` has occurred `times` times. */
function readUntil(socket: Socket, end: string, times = 1): Promise<string> {
  let all = '';
  return new Promise((resolve) =>
    socket.on('data', (data) => {
      all += data;
      if (all.split(end).length > times) resolve(all);
    }),
  );
}

it('parses all requests that arrive together, then handles all, then answers all', async () => {
  const order: string[] = [];
  await serve((_, response) => {
    order.push(`handled, ${accepted.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0)} written`);
    response.end('done');
  });
  server.prependListener('request', () => order.push('parsed'));
  const clients = await Promise.all([connected(), connected(), connected()]);
  await eventually(() => expect(accepted).toHaveLength(3));
  const answers = clients.map((client) => readUntil(client, 'done'));
  for (const client of clients) client.write(request());
  await Promise.all(answers);
  const handled = 'handled, 0 written';
  expect(order).toEqual(['parsed', 'parsed', 'parsed', handled, handled, handled]);
});

it('answers more requests than are handled together, in the order of their connection', async () => {
  let handled = 0;
  await serve((_, response) => response.end(`number ${handled++};`));
  const client = await connected();
  const answers = readUntil(client, ';', 100);
  client.write(request().repeat(100));
  const numbers = (await answers).matchAll(/number (\d+);/g);
  expect(Array.from(numbers, ([, number]) => Number(number))).toEqual(
    Array.from({ length: 100 }, (_, i) => i),
  );
});

it('hands the body that has arrived before the call to the handler', async () => {
  await serve(async (incoming, response) => response.end(`read ${(await text(incoming)).length};`));
  const client = await connected();
  const answer = readUntil(client, ';');
  client.write(request('x'.repeat(200_000)));
  expect(await answer).toContain('read 200000;');
});

it('closes only its own connection when a response is destroyed before it is written', async () => {
  await serve(({ headers }, response) => {
    response.end('done');
    if (headers['content-length'] === '1') response.destroy();
  });
  const [cut, other] = await Promise.all([connected(), connected()]);
  const closed = once(cut, 'close');
  const answer = readUntil(other, 'done');
  cut.write(request('x'));
  other.write(request());
  expect(await answer).toContain('200 OK');
  await closed;
});
