import { EventLogUnavailable } from './errors.ts';

/** Settles as `work` does, or throws EventLogUnavailable at `deadline` (of `performance.now()`). */
export async function within<T>(deadline: number, what: string, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new EventLogUnavailable(`the event log did not answer in time (${what})`)),
    Math.max(0, deadline - performance.now()),
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // Whatever comes after the deadline has nobody to tell.
    work.catch(() => {});
  }
}

/** Resolves after `ms`, or at once when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** Milliseconds to wait after the given number of failures: doubling, with half of it left to chance. */
export function backoff(failures: number, minMs: number, maxMs: number): number {
  const full = Math.min(maxMs, minMs * 2 ** Math.min(failures - 1, 20));
  return full / 2 + (Math.random() * full) / 2;
}
