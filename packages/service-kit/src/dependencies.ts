import { setTimeout as sleep } from 'node:timers/promises';

/** A dependency that answers later than this counts as away. */
export const CHECK_TIMEOUT_MS = 1000;

/** What is wrong with a dependency; undefined when it answers in time. */
export async function problemOf(check: () => Promise<void>): Promise<string | undefined> {
  const timeout = new AbortController();
  const late = sleep(CHECK_TIMEOUT_MS, 'late' as const, { signal: timeout.signal });
  try {
    const answer = await Promise.race([check(), late]);
    return answer === 'late' ? `no answer within ${CHECK_TIMEOUT_MS} ms` : undefined;
  } catch {
    return 'away';
  } finally {
    timeout.abort();
  }
}
