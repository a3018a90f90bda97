import { pause } from './backoff.ts';

/** The longest delay before a retry after a failure, regardless of the interval. */
const RETRY_WITHIN_MS = 60_000;

interface PollOptions {
  everyMs: number;
  signal: AbortSignal;
  /** Called with the error of each failed call. */
  onFailure(error: unknown): void;
}

/**
 * Calls `look` repeatedly until the signal aborts. The next call starts `everyMs` after the previous one has ended,
 * or after at most a minute if it failed. Never rejects.
 */
export async function poll(
  look: () => Promise<void>,
  { everyMs, signal, onFailure }: PollOptions,
): Promise<void> {
  while (!signal.aborted) {
    let waitMs = everyMs;
    try {
      await look();
    } catch (error) {
      onFailure(error);
      waitMs = Math.min(everyMs, RETRY_WITHIN_MS);
    }
    await pause(waitMs, signal);
  }
}
