import { setTimeout as sleep } from 'node:timers/promises';

/** Waits before the next try: doubled each time up to the cap, with full jitter, in milliseconds. */
export function backoffDelay(attempt: number, { base = 100, cap = 5000 } = {}): number {
  return Math.random() * Math.min(cap, base * 2 ** attempt);
}

interface RetryOptions {
  /** Whether this failure may pass; others are thrown at once. */
  retryable: (error: unknown) => boolean;
  onRetry?: (error: unknown, attempt: number) => void;
  signal?: AbortSignal;
}

/** Runs `action` until it succeeds, waiting with back-off between tries. */
export async function retry<T>(
  action: () => Promise<T>,
  { retryable, onRetry, signal }: RetryOptions,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (signal?.aborted || !retryable(error)) throw error;
      onRetry?.(error, attempt);
      await sleep(backoffDelay(attempt), undefined, signal ? { signal } : {});
    }
  }
}
