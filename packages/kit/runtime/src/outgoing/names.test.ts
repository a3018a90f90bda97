import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { networkList } from '../settings/fields.ts';
import { strangersNames } from './names.ts';
import { createSender, SendFailed } from './sender.ts';

const LOOPBACK = networkList.parse('127.0.0.0/8,::1/128');
const ANSWER = 0x8180;
const NO_SUCH_NAME = 0x8183;
const TYPE_A = 1;
/** A pointer to the name in the question, type A, class IN, 60 s, four bytes. */
const RECORD = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);

let dns: Socket;
let server: Server;
let port: number;
const asked = new Set<string>();

/** Answers 127.0.0.1 for push.example, nothing for dead.example, and "no such name" for all others. */
function answer(query: Buffer): Buffer | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let size = query.readUInt8(at); size > 0; size = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size));
    at += 1 + size;
  }
  const name = labels.join('.');
  asked.add(name);
  if (name.endsWith('dead.example')) return undefined;
  const isFound = name === 'push.example' && query.readUInt16BE(at + 1) === TYPE_A;
  const head = Buffer.from(query.subarray(0, at + 5));
  head.writeUInt16BE(name === 'push.example' ? ANSWER : NO_SUCH_NAME, 2);
  head.writeUInt16BE(isFound ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  return isFound ? Buffer.concat([head, RECORD]) : head;
}

beforeAll(async () => {
  dns = createSocket('udp4');
  dns.on('message', (query, from) => {
    const reply = answer(query);
    if (reply !== undefined) dns.send(reply, from.port, from.address);
  });
  dns.bind(0, '127.0.0.1');
  await once(dns, 'listening');
  server = createServer((_, response) => void response.end('here')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  dns.close();
  server.closeAllConnections();
  server.close();
});

const sender = (networks = LOOPBACK, timeoutMs = 20_000) =>
  createSender({
    config: { OUTGOING_PRIVATE_NETWORKS: networks },
    timeoutMs,
    maxBytes: 1000,
    resolve: strangersNames([`127.0.0.1:${dns.address().port}`]),
  });

it('unresponsive name servers delay no other look-up', async () => {
  const dead = Array.from({ length: 40 }, (_, n) =>
    sender()(`http://${n}.dead.example:${port}/`).then(
      () => 'answered',
      (error: unknown) => error,
    ),
  );
  let settled = 0;
  for (const one of dead) void one.then(() => settled++);
  await expect.poll(() => asked.size).toBe(40);
  // The hosts file and the threads of the process remain available.
  expect(await lookup('localhost')).toBeDefined();
  expect(await (await sender()(`http://push.example:${port}/`)).text()).toBe('here');
  expect(settled).toBe(0);
  for (const outcome of await Promise.all(dead)) expect(outcome).toBeInstanceOf(SendFailed);
});

it('the addresses of a name are checked when the connection is made', async () => {
  await expect(sender([])(`http://push.example:${port}/`)).rejects.toThrow(
    'push.example resolves to the private address 127.0.0.1, which OUTGOING_PRIVATE_NETWORKS does not list',
  );
});

it('a name that does not exist has no answer', async () => {
  await expect(sender()(`http://none.example:${port}/`)).rejects.toThrow(
    new SendFailed('unreachable', 'no answer: ENOTFOUND'),
  );
});

it('names without a dot belong to the machine and its network, and are resolved as the machine does', async () => {
  asked.clear();
  expect((await sender()(`http://localhost:${port}/`)).status).toBe(200);
  expect(asked).toEqual(new Set());
});
