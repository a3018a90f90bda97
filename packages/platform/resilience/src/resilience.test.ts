import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffDelay, DeadlineExceeded, pause, retry, withDeadline } from './index.ts';

describe('work with a deadline', () => {
  it('settles with the work if it finishes in time', async () => {
    expect(await withDeadline(1_000, Promise.resolve(1))).toBe(1);
    await expect(withDeadline(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('rejects if the work is late, and ignores its outcome', async () => {
    const late = sleep(20).then(() => Promise.reject(new Error('too late')));
    await expect(withDeadline(5, late)).rejects.toThrow(DeadlineExceeded);
    await expect(withDeadline(-1, new Promise(() => {}), () => new RangeError('own'))).rejects.toThrow(
      RangeError,
    );
    await sleep(30);
  });
});

describe('the backoff delay', () => {
  it('increases the backoff delay within a bound that doubles up to the maximum', () => {
    fc.assert(
      fc.property(fc.nat(2_000), (attempt) => {
        const delay = backoffDelay(attempt, { baseMs: 10, maxMs: 1_000 });
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(Math.min(1_000, 10 * 2 ** attempt));
      }),
    );
  });
});

describe('a pause', () => {
  it('ends a pause when the signal aborts', async () => {
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(), 5);
    await expect(pause(60_000, stopping.signal)).resolves.toBeUndefined();
    await expect(pause(60_000, stopping.signal)).resolves.toBeUndefined();
  });
});

describe('retries of an action', () => {
  const failing = (times: number) => async (attempt: number) => {
    if (attempt <= times) throw new Error(`failure ${attempt}`);
    return attempt;
  };

  it('repeats the action until it succeeds, and reports each failure', async () => {
    const seen: string[] = [];
    const onRetry = (error: unknown, attempt: number) => seen.push(`${attempt} ${error}`);
    expect(await retry(failing(2), { baseMs: 1, onRetry })).toBe(3);
    expect(seen).toEqual(['1 Error: failure 1', '2 Error: failure 2']);
  });

  it('rethrows an error that is not retryable, and the last one when attempts run out', async () => {
    await expect(retry(failing(9), { isRetryable: () => false })).rejects.toThrow('failure 1');
    await expect(retry(failing(9), { baseMs: 1, maxAttempts: 3 })).rejects.toThrow('failure 3');
  });

  it('stops waiting when the signal aborts', async () => {
    const stopping = new AbortController();
    const retrying = retry(failing(9), {
      baseMs: 1e9,
      maxMs: 1e9,
      signal: stopping.signal,
      onRetry: () => setTimeout(() => stopping.abort(), 5),
    });
    await expect(retrying).rejects.toThrow('failure 1');
  });
});
