import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const PING = 0x89;
/** A pong without payload, masked as the protocol requires of clients. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

/**
 * Opens a WebSocket on a plain socket, which costs less memory and CPU than a client library. It answers pings. A
 * ping has no payload, and its byte does not occur in any message. Returns it once a message contains `ready`.
 */
export async function openWebSocket(port: number, path: string, ready: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(
    [
      ...[`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: Upgrade', 'Upgrade: websocket'],
      ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
    ].join('\r\n'),
  );
  let text = '';
  while (!text.includes(ready)) {
    const [data]: Buffer[] = await once(socket, 'data');
    text += data?.toString('latin1');
    if (!text.startsWith('HTTP/1.1 101')) throw new Error(text);
  }
  socket.on('data', (data) => {
    if (data.includes(PING)) socket.write(PONG);
  });
  return socket;
}
