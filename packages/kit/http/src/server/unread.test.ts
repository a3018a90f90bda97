import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { eventually } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { boundUnread } from './unread.ts';

const BODY_BYTES = 16_000_000;

it('bounds the bytes held by clients that do not read their responses, and answers those that read', async () => {
  let answered = 0;
  const server = createServer((_, response) => {
    answered++;
    response.end(Buffer.alloc(BODY_BYTES, 'x'));
  });
  boundUnread(server, 4 * BODY_BYTES);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const idle = Array.from({ length: 20 }, () => {
    const socket = connect({ port, host: '127.0.0.1' }).pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    socket.on('error', () => undefined);
    return socket;
  });
  const open = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  await eventually(() => expect(answered).toBe(idle.length));
  await eventually(async () => expect(await open()).toBeLessThanOrEqual(5));
  const response = await fetch(`http://127.0.0.1:${port}`);
  expect((await response.arrayBuffer()).byteLength).toBe(BODY_BYTES);
  for (const socket of idle) socket.destroy();
  server.closeAllConnections();
  server.close();
});
