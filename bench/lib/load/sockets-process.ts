import type { SocketsPlan, SocketsReport } from './sockets.ts';
import { openWebSocket } from './web-socket.ts';

/** Opens sockets that read the time and generatedAt of messages. */
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

const CHANGES = /"type":"flags_changed","generatedAt":"([^"]+)"/g;

async function open(
  { ports, path, ready }: SocketsPlan,
  index: number,
  notify: (generatedAt: string) => void,
) {
  const socket = await openWebSocket(ports[index % ports.length] ?? 0, path, ready);
  socket.on('data', (data) => {
    for (const [, generatedAt = ''] of data.toString('latin1').matchAll(CHANGES)) notify(generatedAt);
  });
  socket.on('close', () => process.exit(1));
}
