import { setTimeout as sleep } from 'node:timers/promises';
import { createBoundedQueue, createBuckets, createFairQueue } from '@switchboard/fairness';
import { RateLimited } from '@switchboard/http';

/** Runs the searches of all projects. Throws RateLimited for one that would have to wait for too long. */
export type SearchQueue = <T>(projectId: string, search: () => Promise<T>) => Promise<T>;

interface SearchLimits {
  /** The seconds of searching of a project in each second, averaged over two. */
  perSecond: number;
  /** Searches that run at a time, one of each project. */
  running: number;
  /** Searches that wait. The project with the most of them gives way. */
  waiting: number;
  /** The longest wait in milliseconds. */
  waitMs: number;
}

export const SEARCH_LIMITS: Omit<SearchLimits, 'perSecond'> = { running: 4, waiting: 20, waitMs: 5_000 };
const MAX_PAUSE_MS = 2_000;
const RETRY_SECONDS = 1;

/**
 * Creates a queue for searches, since each may occupy PostgreSQL for as long as hundreds of other queries. A project
 * that has searched for too long pauses, since nothing else divides the cores of PostgreSQL among projects.
 */
export function createSearchQueue({ running, waiting, waitMs, perSecond }: SearchLimits): SearchQueue {
  const spent = createBuckets(perSecond);
  const queue = createFairQueue(running, 1);
  const bounded = createBoundedQueue(running + waiting, tooMany);

  return async <T>(projectId: string, search: () => Promise<T>) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const entry = bounded.enter(projectId);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooMany()), waitMs);
    const run = async () => {
      clearTimeout(timer);
      entry.begin();
      const began = performance.now();
      const result = search();
      // The caller gets the result before the pause.
      result.then(resolve, reject);
      await result.catch(() => undefined);
      entry.leave();
      spent.take(projectId, (performance.now() - began) / 1_000);
      const pause = Math.min(spent.wait(projectId) * 1_000, MAX_PAUSE_MS);
      if (pause > 0) await sleep(pause, undefined, { ref: false });
    };
    queue(projectId, run, AbortSignal.any([late.signal, entry.signal])).catch((error: unknown) => {
      clearTimeout(timer);
      entry.leave();
      reject(error);
    });
    return promise;
  };
}

const tooMany = () =>
  new RateLimited(
    'Too many searches at a time in the project. Retry after the time in Retry-After.',
    RETRY_SECONDS,
  );
