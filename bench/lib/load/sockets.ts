import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

export interface SocketsPlan {
  /** The ports that the sockets are split over. */
  ports: number[];
  path: string;
  /** The text that a socket receives once it is open. */
  ready: string;
  count: number;
}

/** A report that is sent once all sockets are open, and then each time all were notified of a change. */
export type SocketsReport =
  | { kind: 'open' }
  /** The time at which each socket was notified, in milliseconds since 1970. */
  | { kind: 'notified'; generatedAt: string; times: Float64Array };

export interface Sockets {
  /** Resolves with the next change that all clients were notified of. Throws after `withinMs`. */
  notified(withinMs: number): Promise<Extract<SocketsReport, { kind: 'notified' }>>;
  stop(): void;
}

/** Opens one socket per client, in a separate process. */
export async function openSockets(plan: SocketsPlan): Promise<Sockets> {
  const child = fork(join(import.meta.dirname, 'sockets-process.ts'), { serialization: 'advanced' });
  process.once('exit', () => child.kill('SIGKILL'));
  child.send(plan);
  await nextReport(child, 60_000);
  return {
    async notified(withinMs) {
      const report = await nextReport(child, withinMs);
      if (report.kind !== 'notified') throw new Error('sockets were opened twice');
      return report;
    },
    stop: () => void child.kill(),
  };
}

function nextReport(child: ChildProcess, withinMs: number): Promise<SocketsReport> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(reason));
    const timer = setTimeout(fail, withinMs, `not all sockets were notified within ${withinMs} ms`);
    child.once('exit', (code) => fail(`the sockets process ended with ${code}`));
    child.once('message', (message) => {
      clearTimeout(timer);
      child.removeAllListeners('exit');
      resolve(message as SocketsReport);
    });
  });
}
