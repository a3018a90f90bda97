import { pause } from './backoff.ts';

/** What failed is tried again by then, however seldom it runs. */
const RETRY_WITHIN_MS = 60_000;

interface PollOptions {
  everyMs: number;
  signal: AbortSignal;
  /** Gets the error of each call that failed. */
  onFailure(error: unknown): void;
}

/**
 * Calls `look`, and again `everyMs` after each call has ended, a minute after a failure at the latest, until the signal
 * aborts. Never rejects.
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
