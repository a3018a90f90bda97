import { pause } from './backoff.ts';

interface PollOptions {
  everyMs: number;
  signal: AbortSignal;
  /** Gets the first error of failures in a row. */
  onFailing(error: unknown): void;
}

/** Calls `look`, and again `everyMs` after each call has ended, until the signal aborts. Never rejects. */
export async function poll(
  look: () => Promise<void>,
  { everyMs, signal, onFailing }: PollOptions,
): Promise<void> {
  let isFailing = false;
  while (!signal.aborted) {
    try {
      await look();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onFailing(error);
      isFailing = true;
    }
    await pause(everyMs, signal);
  }
}
