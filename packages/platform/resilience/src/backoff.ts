export interface BackoffOptions {
  /** The upper bound of the first delay. Doubles with each attempt. Default 100. */
  baseMs?: number;
  /** The upper bound of every delay. Default 5000. */
  maxMs?: number;
}

/**
 * Returns the milliseconds to wait before the next attempt: a random time below an exponentially growing bound ("full
 * jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 *
 * @param attempt The number of failed attempts before the last one: 0 after the first failure.
 */
export function backoffDelay(attempt: number, { baseMs = 100, maxMs = 5000 }: BackoffOptions = {}): number {
  return Math.random() * Math.min(maxMs, baseMs * 2 ** attempt);
}

/** Resolves after `ms` milliseconds, or as soon as the signal aborts. Never rejects. */
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

export interface RetryOptions extends BackoffOptions {
  /** Returns whether the error may be temporary. Any other error is rethrown immediately. Default: every error. */
  isRetryable?: (error: unknown) => boolean;
  /** The total number of attempts. Default: no limit. */
  maxAttempts?: number;
  /** Called before each delay with the error, the number of failed attempts so far and the delay. */
  onRetry?: (error: unknown, attempt: number, delayMs: number) => void;
  /** Once aborted, no further attempt is made and the last error is thrown. */
  signal?: AbortSignal;
}

/**
 * Runs `action` until it succeeds, with `backoffDelay` between attempts. Rethrows the last error when it gives up.
 */
export async function retry<T>(
  action: (attempt: number) => Promise<T>,
  { isRetryable, maxAttempts = Number.POSITIVE_INFINITY, onRetry, signal, ...backoff }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action(attempt);
    } catch (error) {
      const isFinal = attempt >= maxAttempts || signal?.aborted === true;
      if (isFinal || isRetryable?.(error) === false) throw error;
      const delayMs = backoffDelay(attempt - 1, backoff);
      onRetry?.(error, attempt, delayMs);
      await pause(delayMs, signal);
      if (signal?.aborted) throw error;
    }
  }
}
