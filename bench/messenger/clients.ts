import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

export type ClientPlan =
  | { kind: 'sockets'; port: number; path: string; count: number }
  | {
      kind: 'turns';
      port: number;
      key: string;
      conversations: { id: string; token: string }[];
      perSecond: number;
      seconds: number;
    };

export interface TurnResult {
  statuses: Record<number, number>;
  /** Milliseconds. */
  p50: number;
  p99: number;
  max: number;
}

/** Starts clients as a process, which keeps its sockets open until it is killed. */
export async function startClients<T>(plan: ClientPlan): Promise<{ child: ChildProcess; result: T }> {
  const child = fork(join(import.meta.dirname, 'clients-process.ts'));
  process.once('exit', () => child.kill('SIGKILL'));
  const result = await new Promise<T>((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', (code) => reject(new Error(`the clients ended with ${code}`)));
    child.send(plan);
  });
  return { child, result };
}
