import { once } from 'node:events';
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

test('a route that upgrades serves sockets, with the context of every request', async () => {
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

test('a message over 16,384 bytes closes the socket', async () => {
  const { url } = await testApp();
  const socket = await open(`${url}/socket`);
  socket.send('x'.repeat(16_385));
  const [code] = await once(socket, 'close');
  expect(code).toBe(1009);
});

test('closing the server closes sockets, unresponsive ones too', async () => {
  const { url, stop } = await startTestApp();
  const [polite, silent] = [await open(`${url}/socket`), await open(`${url}/socket`)];
  silent.pause();
  const closed = once(polite, 'close');
  await stop();
  expect((await closed)[0]).toBe(1001);
});
