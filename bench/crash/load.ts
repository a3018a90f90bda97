import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Request } from './ledger.ts';

export interface LoadPlan {
  /** The ports of the ingestion instances. Each attempt goes to the next one, as through a load balancer. */
  ports: number[];
  /** A key that belongs to no project. */
  unknownKey: string;
  clients: number;
  round: number;
  seed: number;
  /** The time that the traffic's times are relative to, in milliseconds since 1970. */
  base: number;
  hasReplays: boolean;
}

/**
 * Runs clients in a separate process until a promise resolves. Resolves with their requests and responses when all
 * clients have finished.
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
