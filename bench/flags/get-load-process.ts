import { connect } from 'node:net';
import type { GetPlan, GetResult } from './get-load.ts';

/**
 * A client that costs little: plain sockets, one request in flight on each, ready-made bytes, and of an answer
 * only the status and the length are read.
 */
process.once('message', (plan: GetPlan) => {
  generate(plan).then((result) => process.send?.(result));
});

async function generate({ port, paths, headers, connections, seconds }: GetPlan): Promise<GetResult> {
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const requests = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`));
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let sent = 0;

  function note(status: number, began: number): void {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status >= 200 && status < 400) latencies.push(performance.now() - began);
  }

  function client(): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let began = 0;
      let status = 0;
      let left = 0;
      const send = () => {
        const request = requests[sent++ % requests.length];
        if (performance.now() >= endsAt || request === undefined) {
          socket.end();
          return;
        }
        began = performance.now();
        socket.write(request);
      };
      socket.on('connect', send);
      socket.on('data', (chunk) => {
        if (left === 0) {
          const head = chunk.indexOf('\r\n\r\n');
          if (head < 0) throw new Error('an answer’s head came in pieces');
          const text = chunk.toString('latin1', 0, head);
          status = Number(text.slice(9, 12));
          left = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0) + head + 4;
        }
        left -= chunk.length;
        if (left > 0) return;
        left = 0;
        note(status, began);
        send();
      });
      socket.on('error', () => note(0, began));
      socket.on('close', () => resolve());
    });
  }

  await Promise.all(Array.from({ length: connections }, client));
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    seconds: (performance.now() - startedAt) / 1000,
    statuses,
    latency: { p50: at(0.5), p99: at(0.99), max: at(1) },
  };
}
