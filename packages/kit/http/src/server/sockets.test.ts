import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

async function testApp(): Promise<TestApp> {
  const running = await startTestApp();
  onTestFinished(running.stop);
  return running;
}

async function open(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws'));
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

test('a route that upgrades serves sockets with the context of every request', async () => {
  const { url } = await testApp();
  const socket = await open(`${url}/socket`);
  socket.send('hello');
  const [data] = await once(socket, 'message');
  expect(String(data)).toBe('hello');
});

test('an upgrade on another path gets its HTTP response', async () => {
  const { url } = await testApp();
  const socket = new WebSocket(`${url.replace('http', 'ws')}/nothing`);
  const [error] = await once(socket, 'error');
  expect(error.message).toContain('404');
});

/** Sends an upgrade request over a connection that the client does not close. */
async function requestUpgrade(url: string, path: string, protocol: string) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
  const [data] = await once(socket, 'data');
  return { socket, status: String(data).split('\r\n')[0] };
}

test('an upgrade to something other than WebSocket is ignored', async () => {
  const { url } = await testApp();
  const { status } = await requestUpgrade(url, '/address', 'h2c');
  expect(status).toBe('HTTP/1.1 200 OK');
});

test('a client with a refused upgrade does not keep the connection', async () => {
  const { url } = await testApp();
  const { socket, status } = await requestUpgrade(url, '/nothing', 'websocket');
  expect(status).toBe('HTTP/1.1 404 Not Found');
  const write = setInterval(() => socket.write('x'), 100);
  onTestFinished(() => clearInterval(write));
  await new Promise((resolve) => socket.once('close', resolve));
});

test('a message over 16,384 bytes closes the socket', async () => {
  const { url } = await testApp();
  const socket = await open(`${url}/socket`);
  socket.send('x'.repeat(16_385));
  const [code] = await once(socket, 'close');
  expect(code).toBe(1009);
});

test('closing the server closes sockets, including unresponsive ones', async () => {
  const { url, stop } = await startTestApp();
  const [polite, silent] = [await open(`${url}/socket`), await open(`${url}/socket`)];
  silent.pause();
  const closed = once(polite, 'close');
  await stop();
  expect((await closed)[0]).toBe(1001);
});
