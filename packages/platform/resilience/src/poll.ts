import { pause } from './backoff.ts';

/** The longest delay before a retry after a failure, regardless of the interval. */
const RETRY_WITHIN_MS = 60_000;

interface PollOptions {
  everyMs: number;
  signal: AbortSignal;
  /** Called with the error of each failed call. */
  onFailure(error: unknown): void;
}

/** Background work that polls. */
export interface Polling {
  /** Returns at once. Further calls do nothing. */
  start(): void;
  /** Waits for the current call of `look`. */
  stop(): Promise<void>;
}

/** Creates background work that calls `look` as `poll` does, from its start until its stop. */
export function createPolling(
  look: (signal: AbortSignal) => Promise<void>,
  { everyMs, onFailure }: Omit<PollOptions, 'signal'>,
): Polling {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;
  return {
    start() {
      running ??= poll(() => look(signal), { everyMs, signal, onFailure });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
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
