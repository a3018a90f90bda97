import { fork } from 'node:child_process';
import { join } from 'node:path';

export interface LoadRequest {
  path: string;
  /** The body of a POST. Without a body, the request is a GET. */
  body?: string;
  /** Headers in addition to those of the plan. */
  headers?: Record<string, string>;
}

export interface LoadPlan {
  port: number;
  headers: Readonly<Record<string, string>>;
  /** The number of connections, with one request in flight each. */
  connections: number;
  seconds: number;
  /** The number of requests after which the load ends early. */
  count?: number;
  /** Requests per second, at a steady rate. Latency counts from the due time. Default: as fast as possible. */
  perSecond?: number;
  /** The requests, sent in turn. */
  requests: LoadRequest[];
  /**
   * The text in a body to replace with a number of the same width that is different each time. The numbers within a
   * body are consecutive, and those of successive bodies continue from `firstNumber`.
   */
  placeholder?: string;
  firstNumber?: number;
}

export interface LoadResult {
  seconds: number;
  /** The number of requests by status. 0 stands for a broken connection. */
  statuses: Record<string, number>;
  /** The latency of requests that got a 2xx or 3xx, in milliseconds. */
  latency: { p50: number; p99: number; max: number };
  /** The status of each request, in the order of their numbers. */
  outcomes: Uint16Array;
}

/**
 * Applies load to a server from a separate process, so that it does not use time of the server's process.
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
