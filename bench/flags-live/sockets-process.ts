import { once } from 'node:events';
import { connect } from 'node:net';
import type { SocketsPlan, SocketsReport } from './sockets.ts';

/** Opens plain sockets that perform the handshake, answer pings, and read the time and generatedAt of messages. */
process.once('message', async (plan: SocketsPlan) => {
  let times = new Float64Array(plan.count);
  let notified = 0;

  function record(index: number, generatedAt: string): void {
    if (times[index] === 0) notified += 1;
    times[index] = performance.timeOrigin + performance.now();
    if (notified < plan.count) return;
    report({ kind: 'notified', generatedAt, times });
    times = new Float64Array(plan.count);
    notified = 0;
  }

  for (let first = 0; first < plan.count; first += 50) {
    const some = Array.from({ length: Math.min(50, plan.count - first) }, (_, n) => first + n);
    await Promise.all(some.map((index) => open(plan, index, (generatedAt) => record(index, generatedAt))));
  }
  report({ kind: 'open' });
});

function report(message: SocketsReport): void {
  process.send?.(message);
}

const PING = 0x89;
/** A pong without payload, masked as the protocol requires of clients. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
const CHANGES = /"type":"flags_changed","generatedAt":"([^"]+)"/g;

async function open({ ports, path }: SocketsPlan, index: number, notify: (generatedAt: string) => void) {
  const port = ports[index % ports.length] ?? 0;
  const socket = connect({ port, host: '127.0.0.1' });
  const head = [
    ...[`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: Upgrade', 'Upgrade: websocket'],
    ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
  ];
  socket.write(head.join('\r\n'));
  let text = '';
  while (!text.includes('"ready"')) {
    const [data]: Buffer[] = await once(socket, 'data');
    text += data?.toString('latin1');
    if (!text.startsWith('HTTP/1.1 101')) throw new Error(text);
  }
  socket.on('data', (data) => {
    // A ping has no payload, and its byte does not occur in any message.
    if (data.includes(PING)) socket.write(PONG);
    for (const [, generatedAt = ''] of data.toString('latin1').matchAll(CHANGES)) notify(generatedAt);
  });
  socket.on('close', () => process.exit(1));
}
