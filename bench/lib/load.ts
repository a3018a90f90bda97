import { fork } from 'node:child_process';
import { join } from 'node:path';

export interface LoadRequest {
  path: string;
  /** With a body the request is a POST, without one a GET. */
  body?: string;
  /** In addition to those of the plan. */
  headers?: Record<string, string>;
}

export interface LoadPlan {
  port: number;
  headers: Readonly<Record<string, string>>;
  /** Each has one request in flight. */
  connections: number;
  seconds: number;
  /** Ends earlier, after so many requests. */
  count?: number;
  /** Requests a second, at a steady rate; latency counts from when each was due. Default: as fast as possible. */
  perSecond?: number;
  /** Sent in turn. */
  requests: LoadRequest[];
  /**
   * What stands in a body where a number of this width, different each time, is to be written. The numbers of a body
   * are consecutive, and the bodies' follow one another from `firstNumber`.
   */
  placeholder?: string;
  firstNumber?: number;
}

export interface LoadResult {
  seconds: number;
  /** Requests by status; 0 for a connection that broke. */
  statuses: Record<string, number>;
  /** Milliseconds of the requests that were answered 2xx or 3xx. */
  latency: { p50: number; p99: number; max: number };
  /** The status of each request, in the order of their numbers. */
  outcomes: Uint16Array;
}

/**
 * Puts load on a server from a process of its own, which costs the server's process nothing.
 *
 * autocannon 9 can do the same with `setupRequest`, `onResponse` and its response event, but takes 20 to 80% more
 * CPU per request on the cores that the measured server shares, and drops the requests in flight at the end.
 */
export async function applyLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = fork(join(import.meta.dirname, 'load-process.ts'), { serialization: 'advanced' });
  try {
    return await new Promise<LoadResult>((resolve, reject) => {
      child.once('message', (result) => resolve(result as LoadResult));
      child.once('exit', (code) => reject(new Error(`the load process ended with ${code}`)));
      child.send(plan);
    });
  } finally {
    child.kill();
  }
}

export function countOf(result: LoadResult, matches: (status: number) => boolean = () => true): number {
  return Object.entries(result.statuses)
    .filter(([status]) => matches(Number(status)))
    .reduce((sum, [, count]) => sum + count, 0);
}

export const isSuccess = (status: number) => status >= 200 && status < 300;
