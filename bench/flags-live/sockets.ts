import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

export interface SocketsPlan {
  /** The sockets are split over them. */
  ports: number[];
  path: string;
  count: number;
}

/** Once all are open, and then whenever all were told of a change. */
export type SocketsReport =
  | { kind: 'open' }
  /** When each socket was told, in milliseconds since 1970. */
  | { kind: 'told'; generatedAt: string; times: Float64Array };

export interface Sockets {
  /** The next change that all of them were told of. Throws when that takes more than so long. */
  told(withinMs: number): Promise<Extract<SocketsReport, { kind: 'told' }>>;
  stop(): void;
}

/** Clients with a socket each, in a process of their own. */
export async function openSockets(plan: SocketsPlan): Promise<Sockets> {
  const child = fork(join(import.meta.dirname, 'sockets-process.ts'), { serialization: 'advanced' });
  process.once('exit', () => child.kill('SIGKILL'));
  child.send(plan);
  await nextReport(child, 60_000);
  return {
    async told(withinMs) {
      const report = await nextReport(child, withinMs);
      if (report.kind !== 'told') throw new Error('sockets were opened twice');
      return report;
    },
    stop: () => void child.kill(),
  };
}

function nextReport(child: ChildProcess, withinMs: number): Promise<SocketsReport> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(reason));
    const timer = setTimeout(fail, withinMs, `not all sockets were told within ${withinMs} ms`);
    child.once('exit', (code) => fail(`the sockets’ process left with ${code}`));
    child.once('message', (message) => {
      clearTimeout(timer);
      child.removeAllListeners('exit');
      resolve(message as SocketsReport);
    });
  });
}
