import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Request } from './ledger.ts';

export interface LoadPlan {
  /** Instances of ingestion; each try goes to the next one, as through a load balancer. */
  ports: number[];
  /** A key that no project has. */
  unknownKey: string;
  clients: number;
  round: number;
  seed: number;
  /** Milliseconds since 1970 that times in the traffic count from. */
  base: number;
  hasReplays: boolean;
}

/**
 * Runs clients in a process of their own until a promise resolves; then resolves with their requests and the responses
 * once all have finished.
 */
export async function applyLoad(plan: LoadPlan, until: Promise<unknown>): Promise<Request[]> {
  const child = fork(join(import.meta.dirname, 'load-process.ts'), { serialization: 'advanced' });
  try {
    return await new Promise<Request[]>((resolve, reject) => {
      child.once('message', (requests) => resolve(requests as Request[]));
      child.once('exit', (code) => reject(new Error(`the load process ended with ${code}`)));
      child.send(plan);
      until.finally(() => child.connected && child.send('stop')).catch(reject);
    });
  } finally {
    child.kill();
  }
}
