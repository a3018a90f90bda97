import { fork } from 'node:child_process';
import { join } from 'node:path';

export interface GetPlan {
  port: number;
  /** Asked for in turn. */
  paths: string[];
  headers: Record<string, string>;
  connections: number;
  seconds: number;
}

export interface GetResult {
  seconds: number;
  /** Requests by status; 0 for a connection that broke. */
  statuses: Record<string, number>;
  /** Milliseconds of the requests that were answered 2xx or 304. */
  latency: { p50: number; p99: number; max: number };
}

/** Asks a server for pages from a process of its own, so that asking costs the server's process nothing. */
export async function applyGets(plan: GetPlan): Promise<GetResult> {
  const child = fork(join(import.meta.dirname, 'get-load-process.ts'), { serialization: 'advanced' });
  try {
    return await new Promise<GetResult>((resolve, reject) => {
      child.once('message', (result) => resolve(result as GetResult));
      child.once('exit', (code) => reject(new Error(`the load process left with ${code}`)));
      child.send(plan);
    });
  } finally {
    child.kill();
  }
}
